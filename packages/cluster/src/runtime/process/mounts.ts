// Mounts volumes at their absolute paths, in a mount namespace of the container. Without root, it also needs a user namespace. A
// path that this host does not have appears only inside the container: its parent directory is replaced by a copy of bind mounts.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'

export type MountedPath = { readonly source: string; readonly target: string }

/** How to enter a new mount namespace on this host. */
export type MountNamespaces = { readonly unshare: readonly string[] }

/** Returns undefined if the host allows no mount namespaces. */
export function findMountNamespaces(): MountNamespaces | undefined {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const unshare = ['unshare', ...user, '--mount', '--propagation', 'private', '--']
  const [program = '', ...args] = unshare
  const tried = spawnSync(program, [...args, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' })
  return tried.status === 0 ? { unshare } : undefined
}

/**
 * The script that mounts. Its arguments are the data directory, the working directory, the new root or nothing, the table of
 * mounts, and the command. The table calls the data directory `.`, so `mount` must not look for its path.
 */
const script = `data=$1 work=$2 root=$3 table=$4
shift 4
cd "$data" && mount --all --no-canonicalize --fstab "$table" || exit 128
: >"$table.done"
if [ -n "$root" ]; then exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$work" "$@"; fi
cd "$work" || exit 128
exec "$@"
`

type Place = {
  /** The runtime's data directory. */
  readonly data: string
  /** The container's own directory. */
  readonly directory: string
  readonly workingDirectory: string
}

/** Prepares the mounts. Returns the words that run a command with these volumes mounted. */
export function mountedCommand(
  namespaces: MountNamespaces,
  place: Place,
  mounts: readonly MountedPath[],
  command: readonly string[],
): readonly string[] {
  const { binds, copies, places, root } = planMounts(place.data, place.directory, mounts)
  for (const { of, at } of copies) copyPlaces(of, at)
  for (const { source, target } of places) makePlace(source, target)
  const table = join(place.directory, 'mounts')
  const lines = binds.map(({ source, target }) => `${tableWord(source)} ${tableWord(target)} none rbind 0 0\n`)
  writeFileSync(table, lines.join(''))
  return [
    ...namespaces.unshare,
    '/bin/sh',
    '-c',
    script,
    'dayfly-mounts',
    place.data,
    place.workingDirectory,
    root,
    table,
    ...command,
  ]
}

/** Returns whether the mounts of a container are complete. */
export function areMounted(directory: string): boolean {
  return existsSync(join(directory, 'mounts.done'))
}

type Copy = { readonly of: string; readonly at: string }
type Plan = {
  /** The host directories that lack a path. They are replaced by copies. */
  readonly copies: readonly Copy[]
  /** The paths that must exist before volumes can be mounted there, in the volume or copy that will be seen at them. */
  readonly places: readonly MountedPath[]
  readonly binds: readonly MountedPath[]
  /** The copy of the root directory. Empty if no entry of it is missing. */
  readonly root: string
}

/**
 * Shorter paths are mounted first. A volume that covers the data directory gets it at its path, because it contains the other volumes.
 * @param directory where copies of host directories are made.
 */
export function planMounts(data: string, directory: string, mounts: readonly MountedPath[]): Plan {
  const ordered = [...mounts].sort((one, other) => one.target.length - other.target.length)
  const found = ordered.map(({ source, target }) => ({ source, ...findParent(target) }))
  const around = (path: string) => found.findLast(({ full }) => path.startsWith(full + sep))
  const missing = found.filter(({ full, parent }) => full !== parent && !around(full)).map(({ parent }) => parent)
  const copies = [...new Set(missing)]
    .sort((one, other) => one.length - other.length)
    .map((of, index) => ({ of, at: join(directory, `copy.${index}`) }))
  const root = copies.find(({ of }) => of === '/')?.at ?? ''
  const coversData = (full: string) => data.startsWith(full + sep)
  const places = found.flatMap(({ source, full, parent }) => {
    const outer = around(full)
    const copy = copies.find(({ of }) => of === parent)
    const own = outer
      ? [{ source, target: join(outer.source, full.slice(outer.full.length)) }]
      : copy
        ? [{ source, target: join(copy.at, full.slice(parent.length)) }]
        : []
    return coversData(full) ? [...own, { source: data, target: join(source, data.slice(full.length)) }] : own
  })
  const entries = copies.flatMap(({ of, at }) =>
    entriesOf(of).map((name) => ({ source: join(of, name), target: join(at, name) })),
  )
  const covers = copies.filter(({ of }) => of !== '/').map(({ of, at }) => ({ source: at, target: `${root}${of}` }))
  const volumes = found.flatMap(({ source, full }) => {
    const volume = { source, target: `${root}${full}` }
    return coversData(full) ? [volume, { source: '.', target: `${root}${data}` }] : [volume]
  })
  return { copies, places, binds: [...entries, ...covers, ...volumes], root }
}

/** Makes an empty file or directory, like the source that will be mounted there. */
function makePlace(source: string, target: string): void {
  if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true })
  else {
    mkdirSync(dirname(target), { recursive: true })
    if (!existsSync(target)) writeFileSync(target, '')
  }
}

/** Writes a path as the table of mounts demands. */
function tableWord(path: string): string {
  return path.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

/** Returns the entries of a directory that can be mounted: symbolic links are copied instead. */
function entriesOf(directory: string): readonly string[] {
  const entries = readdirSync(directory, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() || entry.isFile() || entry.isSocket()).map(({ name }) => name)
}

/** Makes a directory with an empty place for each entry of another one. */
function copyPlaces(of: string, at: string): void {
  mkdirSync(at, { recursive: true })
  for (const entry of readdirSync(of, { withFileTypes: true })) {
    const place = join(at, entry.name)
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(join(of, entry.name)), place)
    else if (entry.isDirectory()) mkdirSync(place)
    else writeFileSync(place, '')
  }
}

/** Returns the path without symbolic links, and its longest part that exists on this host. */
function findParent(target: string): { readonly full: string; readonly parent: string } {
  let at = target
  while (!existsSync(at)) at = dirname(at)
  const parent = realpathSync(at)
  return { full: join(parent, target.slice(at.length)), parent }
}

/** Returns the words that run a command in the namespace of a process. */
export function inNamespaceOf(pid: number, command: readonly string[]): readonly string[] {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials']
  return ['nsenter', '--target', String(pid), ...user, '--mount', '--root', '--wd', '--', ...command]
}
