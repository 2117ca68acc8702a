// Makes a release in a registry and in dist/release: images, bills of materials, charts, signatures, manifests, packages, checksums, notes.
//   npm run release -- --registry NAME [--images FOLDER…] [--key FILE] [--chart-keyring FILE --chart-signer NAME] [--tag vX.Y.Z --repository URL]
// Without --key, the identity of the workflow signs. Without --tag it is a trial. The workflow publishes the packages, and the files as assets.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { renderManifests } from './chart/manifests.ts'
import { buildPrograms, releasePrograms } from './control-plane/build.ts'
import { type ReleaseFacts, requireAgreement } from './release/agreement.ts'
import { writeChecksums } from './release/checksums.ts'
import { charts, publishedPackages, readFacts } from './release/facts.ts'
import { ReleaseFailure, runRelease } from './release/failure.ts'
import { withLinksTo } from './release/notes.ts'
import { type ReleaseOptions, releaseOptions } from './release/options.ts'
import { pushChart, pushImages, type Registry, stageChart } from './release/registry.ts'
import { run } from './release/run.ts'
import { attestBill, type Signing, sign, signFile } from './release/sign.ts'
import type { Published } from './release/stamp.ts'

const root = path.dirname(import.meta.dirname)
const folder = path.join(root, 'dist/release')
/** The files that users download. */
const assets = path.join(folder, 'assets')
/** The packages for npm. */
const packages = path.join(folder, 'packages')

await runRelease(async () => {
  const options = releaseOptions(process.argv.slice(2))
  const facts = await readFacts()
  requireAgreement(facts, options.publication)
  const built = await buildPrograms(releasePrograms, new AbortController().signal)
  if (built.is === 'missing')
    throw new ReleaseFailure('program-missing', `A program is missing: ${built.why}.`, 'Install Go, and run it again.')
  const program = (name: (typeof releasePrograms)[number]) => path.join(built.folder, name)
  await rm(folder, { recursive: true, force: true })
  for (const each of [assets, packages]) await mkdir(each, { recursive: true })

  await packPackages(facts.version)
  const registry = { name: options.registry, crane: program('crane'), helm: program('helm') }
  const signing = { cosign: program('cosign'), key: options.key }
  const published = await publish(registry, signing, facts.version, options)
  await signFile(signing, await writeChecksums(assets), path.join(assets, 'SHA256SUMS.sigstore.json'))
  await writeNotes(facts, options, published)
  say(`done: dist/release${options.publication ? '' : ', a trial without a tag'}`)
})

/** Packs the built packages. npm publishes the same archives. Throws if a build is missing, or has another version. */
async function packPackages(version: string): Promise<void> {
  for (const workspace of await publishedPackages()) {
    const { stdout: built } = await run(process.execPath, [path.join(root, workspace, 'dist/dayfly.js'), '--version'])
    if (built.trim() !== version)
      throw new ReleaseFailure('build-outdated', `${workspace} was built as ${built.trim()}.`, 'Run npm run build.')
    const args = ['pack', '--silent', '--ignore-scripts', '--workspace', workspace, '--pack-destination', packages]
    const { stdout } = await run('npm', args)
    say(`packed ${stdout.trim()}`)
  }
}

/** Pushes and signs images and charts, and writes the assets that name them. */
async function publish(
  registry: Registry,
  signing: Signing,
  version: string,
  { images, chartKey }: ReleaseOptions,
): Promise<readonly Published[]> {
  const { image, platforms } = await pushImages(registry, version, images)
  await sign(signing, image)
  say(`pushed and signed ${image.name}@${image.digest} for ${platforms.map((each) => each.architecture).join(', ')}`)
  for (const platform of platforms) {
    await attestBill(signing, platform, platform.bill)
    await copyFile(platform.bill, path.join(assets, `dayfly-${platform.architecture}.cdx.json`))
  }
  const published = [image]
  for (const chart of charts) {
    const pushed = await pushChart(registry, path.join(root, chart), { image, folder: assets, key: chartKey })
    await sign(signing, pushed)
    say(`pushed and signed ${pushed.name}@${pushed.digest}`)
    published.push(pushed)
  }
  await writeManifests(registry.helm, image)
  const lines = published.map(({ name, digest }) => `${name}@${digest}\n`)
  await writeFile(path.join(assets, 'digests.txt'), lines.join(''))
  return published
}

async function writeManifests(helm: string, image: Published): Promise<void> {
  const staged = await stageChart(path.join(root, charts[0]), image)
  try {
    const manifests = await renderManifests(helm, staged)
    for (const [name, text] of manifests) await writeFile(path.join(assets, name), text)
  } finally {
    await rm(staged, { recursive: true })
  }
}

/** Writes the notes of the version, with the digests of what it published. */
async function writeNotes(
  { notes }: ReleaseFacts,
  { publication }: ReleaseOptions,
  published: readonly Published[],
): Promise<void> {
  const plain = notes.is === 'found' ? notes.text : ''
  const text = publication ? withLinksTo(`${publication.repository}/blob/${publication.tag}`, plain) : plain
  const lines = published.map(({ name, digest }) => `- \`${name}@${digest}\``)
  await writeFile(path.join(folder, 'notes.md'), `${text}\n### Digests\n\n${lines.join('\n')}\n`)
}

function say(line: string): void {
  process.stdout.write(`release: ${line}\n`)
}
