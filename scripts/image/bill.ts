// The bill of materials of the controller's image: the packages in its bundle, Node with its parts, and the packages that own its libraries.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Component, writeBill } from '../bill.ts'
import { certificates } from './contents.ts'
import { librariesOf } from './programs.ts'

const run = promisify(execFile)

/** Entries of `process.versions` that are not parts of the program. */
const notParts = ['node', 'modules', 'napi', 'cldr', 'tz', 'unicode']

/**
 * Returns the bill of the image that `controllerImage` makes.
 * @param dist the built folder of packages/controller, with the bill of its bundle
 * @param architecture Go's name of the processor
 */
export async function controllerBill(dist: string, version: string, architecture: string): Promise<string> {
  const bundle = JSON.parse(await readFile(path.join(dist, 'bom.cdx.json'), 'utf8')) as {
    readonly components: readonly (Component & { readonly licenses: readonly { readonly expression: string }[] })[]
  }
  const bundled = bundle.components.map(({ licenses: [license], ...each }): Component => {
    return license === undefined ? each : { ...each, license: license.expression }
  })
  const files = (await librariesOf([process.execPath])).map((entry) => `/${entry.path}`)
  const purl = `pkg:oci/dayfly@${version}?arch=${architecture}`
  return writeBill({ type: 'container', name: 'dayfly', version, purl }, [
    ...bundled,
    await nodeComponent(),
    ...(await ownersOf([...files, certificates], architecture)),
  ])
}

async function nodeComponent(): Promise<Component> {
  const generic = (name: string, version: string) => ({ name, version, purl: `pkg:generic/${name}@${version}` })
  const parts = Object.entries(process.versions).filter(([name]) => !notParts.includes(name))
  return {
    type: 'application',
    ...generic('node', process.versions.node),
    license: 'MIT',
    sha256: await digestOf(process.execPath),
    components: parts.map(([name, version = '']): Component => ({ type: 'library', ...generic(name, version) })),
  }
}

/** Returns the packages of the system that own the files, and each file that no package owns. */
async function ownersOf(files: readonly string[], architecture: string): Promise<readonly Component[]> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(system)?.[1] ?? 'unknown'
  const distribution = `${field('ID')}-${field('VERSION_ID')}`
  const found = new Map<string, Component>()
  for (const file of files) {
    const owner = await ownerOf(file)
    if (owner === undefined) {
      const sha256 = await digestOf(file).catch(() => undefined)
      if (sha256 !== undefined) found.set(file, { type: 'file', name: file, sha256 })
      continue
    }
    const [name, version] = owner
    const place = `pkg:deb/${field('ID')}/${encodeURIComponent(name)}@${encodeURIComponent(version)}`
    found.set(name, { type: 'library', name, version, purl: `${place}?arch=${architecture}&distro=${distribution}` })
  }
  return [...found.values()]
}

/** Asks dpkg, which knows a library by only one of its two paths: with and without /usr. */
async function ownerOf(file: string): Promise<readonly [name: string, version: string] | undefined> {
  const paths = file.startsWith('/usr/') ? [file, file.slice('/usr'.length)] : [file, `/usr${file}`]
  for (const each of paths) {
    const owner = await run('dpkg-query', ['--search', each]).catch(() => undefined)
    const name = /^([^:,\s]+)/.exec(owner?.stdout ?? '')?.[1]
    if (name === undefined) continue
    const { stdout } = await run('dpkg-query', ['--show', '--showformat=${Version}\\n', name])
    return [name, stdout.split('\n')[0] ?? '']
  }
  return undefined
}

async function digestOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}
