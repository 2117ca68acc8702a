// The base of the controller's image, below its bundle: Node, its libraries and the certificate authorities, each with its origin.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Component } from '../bill.ts'
import { architectureHere } from './layout.ts'
import { copied, librariesOf } from './programs.ts'
import type { TarEntry } from './tar.ts'

const run = promisify(execFile)

/** The path of Node in the images. */
export const node = '/usr/local/bin/node'
export const certificates = '/etc/ssl/certs/ca-certificates.crt'

export type Base = {
  /** Go's name of the processor. */
  readonly architecture: string
  readonly entries: readonly TarEntry[]
  /** The origin of the entries, for the bill of materials. */
  readonly components: readonly Component[]
}

/** Returns Node, libraries and certificate authorities of this machine. */
export async function baseHere(): Promise<Base> {
  const libraries = await librariesOf([process.execPath])
  const files = [...libraries.map((entry) => `/${entry.path}`), certificates]
  const program = await readFile(process.execPath)
  return {
    architecture: architectureHere(),
    entries: [await copied(process.execPath, node), ...libraries, ...(await trust())],
    components: [nodeComponent(program), ...(await ownersOf(files, architectureHere()))],
  }
}

/** Returns the public certificate authorities that this machine trusts, if it has any. */
export async function trust(): Promise<readonly TarEntry[]> {
  const content = await readFile(certificates).catch(() => undefined)
  return content ? [{ kind: 'file', path: certificates.slice(1), mode: 0o644, content }] : []
}

/** Entries of `process.versions` that are not parts of the program. */
const notParts = ['node', 'modules', 'napi', 'cldr', 'tz', 'unicode']

/** Describes a program of Node that has the version of this one, and so the same parts. */
export function nodeComponent(program: Buffer): Component {
  const generic = (name: string, version: string) => ({ name, version, purl: `pkg:generic/${name}@${version}` })
  const parts = Object.entries(process.versions).filter(([name]) => !notParts.includes(name))
  return {
    type: 'application',
    ...generic('node', process.versions.node),
    license: 'MIT',
    sha256: digestOf(program),
    components: parts.map(([name, version = '']): Component => ({ type: 'library', ...generic(name, version) })),
  }
}

/** Describes a package of Debian, or of a system that derives from it. @param system such as debian-12 */
export function packageComponent(name: string, version: string, system: string, architecture: string): Component {
  const [distribution = 'debian'] = system.split('-')
  const place = `pkg:deb/${distribution}/${encodeURIComponent(name)}@${encodeURIComponent(version)}`
  return { type: 'library', name, version, purl: `${place}?arch=${architecture}&distro=${system}` }
}

/** Returns the name and the version of this system, such as debian-12. */
export async function systemHere(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? 'unknown'
  return `${field('ID')}-${field('VERSION_ID')}`
}

/** Returns the packages of the system that own the files, and each file that no package owns. */
export async function ownersOf(files: readonly string[], architecture: string): Promise<readonly Component[]> {
  const system = await systemHere()
  const found = new Map<string, Component>()
  for (const file of files) {
    const owner = await ownerOf(file)
    const content = owner === undefined ? await readFile(file).catch(() => undefined) : undefined
    if (owner !== undefined) found.set(owner.name, packageComponent(owner.name, owner.version, system, architecture))
    if (content !== undefined) found.set(file, { type: 'file', name: file, sha256: digestOf(content) })
  }
  return [...found.values()]
}

/** Asks dpkg, which knows a library by only one of its two paths: with and without /usr. */
async function ownerOf(file: string): Promise<{ readonly name: string; readonly version: string } | undefined> {
  const paths = file.startsWith('/usr/') ? [file, file.slice('/usr'.length)] : [file, `/usr${file}`]
  for (const each of paths) {
    const owner = await run('dpkg-query', ['--search', each]).catch(() => undefined)
    const name = /^([^:,\s]+)/.exec(owner?.stdout ?? '')?.[1]
    if (name === undefined) continue
    const { stdout } = await run('dpkg-query', ['--show', '--showformat=${Version}\\n', name])
    return { name, version: stdout.split('\n')[0] ?? '' }
  }
  return undefined
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
