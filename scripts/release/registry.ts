// Pushes the images and the charts of a release to a registry, and returns their digests.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'
import { ReleaseFailure } from './failure.ts'
import { run } from './run.ts'
import { type Published, stampChart, stampValues } from './stamp.ts'

/** The registry's host and path, such as registry.example/acme, and the programs that push to it. */
export type Registry = { readonly name: string; readonly crane: string; readonly helm: string }

/** The image for one processor, with the path of its bill of materials. */
export type PlatformImage = Published & { readonly architecture: string; readonly bill: string }

/** The private OpenPGP key that signs charts: a keyring, and the name of the key in it. */
export type ChartKey = { readonly keyring: string; readonly signer: string }

type Images = { readonly image: Published; readonly platforms: readonly PlatformImage[] }

/**
 * Pushes the image of each folder, and one index of them under the version.
 * @param folders each has `dayfly.tar` and `dayfly.cdx.json`, as `npm run image` writes them
 */
export async function pushImages(registry: Registry, version: string, folders: readonly string[]): Promise<Images> {
  const name = `${registry.name}/dayfly`
  const platforms: PlatformImage[] = []
  for (const folder of folders) {
    const pushed = await pushImage(registry, name, version, folder)
    if (platforms.some(({ architecture }) => architecture === pushed.architecture)) {
      const sentence = `Two folders have an image for ${pushed.architecture}.`
      throw new ReleaseFailure('image-double', sentence, 'Give one folder for each processor.')
    }
    platforms.push(pushed)
  }
  const members = platforms.flatMap(({ digest }) => ['--manifest', `${name}@${digest}`])
  const { stdout } = await run(registry.crane, ['index', 'append', ...members, '--tag', `${name}:${version}`])
  return { image: { name, digest: digestIn(stdout) }, platforms }
}

async function pushImage({ crane }: Registry, name: string, version: string, folder: string): Promise<PlatformImage> {
  const archive = path.join(folder, 'dayfly.tar')
  const next = 'Run npm run image, and name the folder that it writes with --images.'
  if (!existsSync(archive)) throw new ReleaseFailure('image-missing', `There is no ${archive}.`, next)
  const layout = await mkdtemp(path.join(tmpdir(), 'dayfly-layout-'))
  try {
    await run('tar', ['-xf', archive, '-C', layout])
    const { architecture, tag } = await describeLayout(layout)
    if (tag !== version)
      throw new ReleaseFailure('image-outdated', `${archive} has the version ${tag} instead of ${version}.`, next)
    const { stdout } = await run(crane, ['push', layout, `${name}:${version}-${architecture}`])
    return { name, digest: digestIn(stdout), architecture, bill: path.join(folder, 'dayfly.cdx.json') }
  } finally {
    await rm(layout, { recursive: true })
  }
}

/** Reads the tag and the processor of the only image in an OCI layout. */
async function describeLayout(layout: string): Promise<{ readonly tag: string; readonly architecture: string }> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(layout, file), 'utf8'))
  const blob = async ({ digest }: { readonly digest: string }) => await read(`blobs/${digest.replace(':', '/')}`)
  const [descriptor] = (await read('index.json')).manifests
  const { config } = await blob(descriptor)
  const tag = descriptor.annotations['org.opencontainers.image.ref.name']
  return { tag, architecture: (await blob(config)).architecture }
}

/**
 * Packages a chart of this repository with the published image, and pushes it.
 * @param folder gets the archive, and its provenance if there is a key
 */
export async function pushChart(
  { name, helm }: Registry,
  chart: string,
  { image, folder, key }: { readonly image: Published; readonly folder: string; readonly key: ChartKey | undefined },
): Promise<Published> {
  const staged = await stageChart(chart, image)
  try {
    const { name: chartName, version } = parse(await readFile(path.join(staged, 'Chart.yaml'), 'utf8'))
    const signature = key === undefined ? [] : ['--sign', '--key', key.signer, '--keyring', key.keyring]
    await run(helm, ['package', staged, '--destination', folder, ...signature])
    const archive = path.join(folder, `${chartName}-${version}.tgz`)
    // crane, cosign and helm share one login.
    const login = path.join(process.env['DOCKER_CONFIG'] ?? path.join(homedir(), '.docker'), 'config.json')
    const options = ['--registry-config', login, ...(isLoopback(name) ? ['--plain-http'] : [])]
    const { stdout, stderr } = await run(helm, ['push', archive, `oci://${name}/charts`, ...options])
    return { name: `${name}/charts/${chartName}`, digest: digestIn(stdout + stderr) }
  } finally {
    await rm(staged, { recursive: true })
  }
}

/** Copies a chart, with the published image if it names one. The caller removes the folder. */
export async function stageChart(chart: string, image: Published): Promise<string> {
  const staged = await mkdtemp(path.join(tmpdir(), 'dayfly-chart-'))
  await cp(chart, staged, { recursive: true })
  const stamps = { 'values.yaml': stampValues, 'Chart.yaml': stampChart } as const
  for (const [name, stamp] of Object.entries(stamps)) {
    const file = path.join(staged, name)
    const text = await readFile(file, 'utf8')
    if (text.includes('localhost/dayfly')) await writeFile(file, stamp(text, image))
  }
  return staged
}

/** Returns whether this machine serves the registry, without TLS. */
export function isLoopback(registry: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?(?:\/|$)/.test(registry)
}

function digestIn(output: string): string {
  const digest = /sha256:[0-9a-f]{64}/.exec(output)?.[0]
  if (digest === undefined) throw new Error(`no digest in the output: ${output.slice(0, 200)}`)
  return digest
}
