// The base of the image for another processor: Node from its npm package, and its libraries from Debian's packages. Nothing of it runs here.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, type Missing } from '../control-plane/go.ts'
import { type Base, certificates, node, nodeComponent, ownersOf, packageComponent, systemHere, trust } from './base.ts'
import { copied, librariesOf } from './programs.ts'
import type { TarEntry } from './tar.ts'

const run = promisify(execFile)

/** The processors by Go's name: Debian's folder of their libraries, and their loader. */
const processors = {
  amd64: { npm: 'x64', triple: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { npm: 'arm64', triple: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
} as const

export type Processor = keyof typeof processors

export function isProcessor(name: string): name is Processor {
  return Object.hasOwn(processors, name)
}

/** The packages with the libraries that Node needs. */
const packages = ['libc6', 'libgcc-s1', 'libstdc++6']

/** Returns the base, or why this machine cannot have it. Downloads the packages into the user's cache, once. Needs npm, and the apt of a Debian. */
export async function baseOf(processor: Processor): Promise<{ readonly is: 'built'; readonly base: Base } | Missing> {
  const folder = path.join(cacheFolder(), `image-root-${processor}-${process.version}`)
  if (existsSync(folder)) return { is: 'built', base: await readBase(folder, processor) }
  await mkdir(cacheFolder(), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    await fill(half, processor)
    await rename(half, folder)
  } catch (error) {
    const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
    return {
      is: 'missing',
      why: `the packages for ${processor} cannot be had: ${stderr.trim().split('\n').at(-1) || message}`,
    }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
  return { is: 'built', base: await readBase(folder, processor) }
}

async function readBase(folder: string, processor: Processor): Promise<Base> {
  const system = await systemHere()
  const program = path.join(folder, 'node')
  const versions = JSON.parse(await readFile(path.join(folder, 'packages.json'), 'utf8')) as Record<string, string>
  return {
    architecture: processor,
    entries: [await copied(program, node), ...(await libraries(folder, processor)), ...(await trust())],
    components: [
      nodeComponent(await readFile(program)),
      ...Object.entries(versions).map(([name, each]) => packageComponent(name, each, system, processor)),
      ...(await ownersOf([certificates], processor)),
    ],
  }
}

async function fill(folder: string, processor: Processor): Promise<void> {
  const name = `node-linux-${processors[processor].npm}@${process.versions.node}`
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, name])
  await run('tar', ['-xzf', path.join(folder, stdout.trim()), '-C', folder, '--strip-components=2', 'package/bin/node'])
  // The lists of packages of this machine are those of its own processor.
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    await mkdir(path.join(folder, name), { recursive: true })
  const settings = [
    `APT::Architecture=${processor}`,
    `APT::Architectures=${processor}`,
    `Dir::State=${folder}/state`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${folder}/cache`,
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...settings, 'update', '-qq'])
  await run('apt-get', [...settings, 'download', '-qq', ...packages], { cwd: folder })
  const versions: Record<string, string> = {}
  for (const archive of (await readdir(folder)).filter((each) => each.endsWith('.deb'))) {
    const file = path.join(folder, archive)
    const field = async (key: string) => (await run('dpkg-deb', ['--field', file, key])).stdout.trim()
    versions[await field('Package')] = await field('Version')
    await run('dpkg', ['-x', file, path.join(folder, 'root')])
  }
  await writeFile(path.join(folder, 'packages.json'), JSON.stringify(versions))
}

/** Returns the libraries that Node needs here, but those of the other processor. Node of one version needs the same everywhere. */
async function libraries(folder: string, processor: Processor): Promise<readonly TarEntry[]> {
  const { triple, loader } = processors[processor]
  const here = await librariesOf([process.execPath])
  const names = here.map((entry) => path.basename(entry.path)).filter((name) => !name.startsWith('ld-'))
  const files = names.map((name) => {
    const found = ['lib', 'usr/lib'].map((at) => `${at}/${triple}/${name}`)
    const file = found.find((each) => existsSync(path.join(folder, 'root', each)))
    if (file === undefined) throw new Error(`the packages ${packages.join(', ')} for ${processor} have no ${name}`)
    return file
  })
  return await Promise.all([...files, loader].map((file) => copied(path.join(folder, 'root', file), file)))
}
