// Takes a real Docker Engine from Debian's packages and makes an image of it. The packages are unpacked into the user's cache and never installed.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder, type Missing } from '../control-plane/go.ts'
import { busyboxEntries } from '../image/busybox.ts'
import { architectureHere, createLayer, writeLayout } from '../image/layout.ts'
import { copied, librariesOf } from '../image/programs.ts'
import type { TarEntry } from '../image/tar.ts'

/** A folder with the archive of the image, and with the program `docker` for the image of a runner. */
export type DockerEngine = { readonly is: 'built'; readonly folder: string } | Missing

/** The name is like that of Docker's own image, so that rules about Docker apply to it. */
export const engineImage = 'localhost/docker:20.10-dind'

export function engineArchive(folder: string): string {
  return path.join(folder, 'engine.tar')
}

const run = promisify(execFile)
/** The names that these packages and libraries have in Debian 12. Every Debian has the other libraries of dockerd. */
const release = 'bookworm'
const packages = [
  ...['docker.io', 'containerd', 'runc', 'tini', 'iptables'],
  ...['libdevmapper1.02.1', 'libmnl0', 'libnftnl11', 'libseccomp2', 'libxtables12'],
]
/** Each program of the image, and its place in the packages. */
const programs: Readonly<Record<string, string>> = {
  'usr/bin/containerd': 'usr/bin/containerd',
  'usr/bin/containerd-shim-runc-v2': 'usr/bin/containerd-shim-runc-v2',
  'usr/bin/docker': 'usr/bin/docker',
  'usr/bin/docker-init': 'usr/bin/tini-static',
  'usr/bin/docker-proxy': 'usr/sbin/docker-proxy',
  'usr/bin/dockerd': 'usr/sbin/dockerd',
  'usr/bin/runc': 'usr/sbin/runc',
  'usr/bin/xtables-nft-multi': 'usr/sbin/xtables-nft-multi',
}
/** Commands that busybox would answer otherwise, and the program that answers them. */
const netfilter = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore']

/** Downloads the packages and writes the image, once. It takes seconds. Resolves with the reason if this machine cannot have them. */
export async function buildEngine(busybox: string, signal: AbortSignal): Promise<DockerEngine> {
  const why = await obstacle()
  if (why !== undefined) return { is: 'missing', why }
  const folder = path.join(cacheFolder(), `docker-engine-${await fingerprint()}`)
  if (existsSync(folder)) return { is: 'built', folder }
  process.stderr.write("real node: taking a Docker Engine from Debian's packages …\n")
  await mkdir(cacheFolder(), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    await fill(half, busybox, signal)
    await rename(half, folder)
    return { is: 'built', folder }
  } catch (error) {
    signal.throwIfAborted()
    return { is: 'missing', why: `the Docker Engine of Debian cannot be had: ${reasonOf(error)}` }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

async function fill(folder: string, busybox: string, signal: AbortSignal): Promise<void> {
  const root = path.join(folder, 'root')
  await unpack(folder, root, signal)
  await writeFile(engineArchive(folder), await archive(root, busybox))
  await copyFile(path.join(root, 'usr/bin/docker'), path.join(folder, 'docker'))
  await rm(root, { recursive: true })
}

/** Returns the last line that a program printed, or the message of the error. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
  return stderr.trim().split('\n').at(-1) || message
}

/** Returns the entries of an image with the program `docker`, which asks an engine. */
export async function dockerCommand(folder: string): Promise<readonly TarEntry[]> {
  return [await copied(path.join(folder, 'docker'), 'usr/bin/docker')]
}

async function obstacle(): Promise<string | undefined> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(system)?.[1]
  if (codename !== release)
    return `the Docker Engine comes from the packages of Debian 12, and this is ${codename ?? 'another system'}`
  return process.getuid?.() === 0 ? undefined : 'only root can read the lists of packages again'
}

/** Downloads with the machine's lists of packages. Reads them again if they are missing or out of date. */
async function unpack(folder: string, root: string, signal: AbortSignal): Promise<void> {
  const download = () => run('apt-get', ['download', '-qq', ...packages], { cwd: folder, signal })
  await download().catch(async () => {
    await run('apt-get', ['update', '-qq'], { signal })
    await download()
  })
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
  for (const name of archives) {
    await run('dpkg', ['-x', path.join(folder, name), root], { signal })
    await rm(path.join(folder, name))
  }
}

async function archive(root: string, busybox: string): Promise<Buffer> {
  const sources = Object.values(programs).map((name) => path.join(root, name))
  const dynamic = sources.filter((source) => !/tini-static$/.test(source))
  const link = (name: string): TarEntry => {
    return { kind: 'link', path: `usr/bin/${name}`, mode: 0o777, target: 'xtables-nft-multi' }
  }
  const entries: readonly TarEntry[] = [
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    // The engine listens at /var/run/docker.sock.
    { kind: 'folder', path: 'run', mode: 0o755 },
    { kind: 'link', path: 'var/run', mode: 0o777, target: '/run' },
    { kind: 'file', path: 'etc/passwd', mode: 0o644, content: Buffer.from('root:x:0:0:root:/root:/bin/sh\n') },
    { kind: 'file', path: 'etc/group', mode: 0o644, content: Buffer.from('root:x:0:\n') },
    ...(await busyboxEntries(busybox)),
    ...(await Promise.all(Object.entries(programs).map(([to, from]) => copied(path.join(root, from), to)))),
    ...netfilter.map(link),
    ...(await librariesOf(dynamic, root)),
    ...(await extensions(root)),
  ]
  const configuration = {
    Entrypoint: ['docker-init', '--', 'dockerd'],
    Env: ['PATH=/usr/bin:/bin'],
    // A node mounts a folder of its own there, as with Docker's image. An overlay above an overlay would be slow.
    Volumes: { '/var/lib/docker': {} },
    WorkingDir: '/',
  }
  return writeLayout([{ names: [engineImage], layers: [createLayer(entries)], configuration }], architectureHere())
}

/** Returns the extensions that iptables loads by name. */
async function extensions(root: string): Promise<readonly TarEntry[]> {
  const files = await readdir(path.join(root, 'usr/lib'), { recursive: true })
  const modules = files.filter((name) => /\/xtables\/.*\.so$/.test(name)).map((name) => `usr/lib/${name}`)
  return await Promise.all(modules.map((name) => copied(path.join(root, name), name, 0o644)))
}

/** Returns a hash of what decides the content, besides the versions that Debian has at the time. */
async function fingerprint(): Promise<string> {
  const own = await readFile(fileURLToPath(import.meta.url))
  return createHash('sha256').update(own).update(process.arch).digest('hex').slice(0, 12)
}
