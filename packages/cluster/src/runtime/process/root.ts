// Creates a container's root directory. Its mounts are symbolic links to the pod's volumes.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { ContainerConfig, Mount, Volume } from '../runtime.ts'
import type { InstalledImage } from './image.ts'
import type { MountedPath } from './mounts.ts'

export type ContainerRoot = { readonly root: string; readonly workingDirectory: string }

/** Creates the root in the container's directory, which must exist and be empty. Throws if two mounts or files have the same path. */
export function makeRoot(
  directory: string,
  volumes: string,
  config: ContainerConfig,
  image: InstalledImage | undefined,
): ContainerRoot {
  const root = join(directory, 'root')
  mkdirSync(root, { recursive: true })
  const mounts = [...config.mounts].sort((a, b) => a.mountPath.length - b.mountPath.length)
  for (const mount of mounts) placeMount(root, volumes, mount)
  if (image) link(image.file, inside(root, image.entrypoint))
  for (const place of ['tmp', 'root']) mkdirSync(join(root, place), { recursive: true })
  placeMessage(directory, root, config.terminationMessagePath)
  if (config.workingDir === undefined) return { root, workingDirectory: root }
  const workingDirectory = inside(root, config.workingDir)
  mkdirSync(workingDirectory, { recursive: true })
  return { root, workingDirectory }
}

/** The file of the termination message. It is outside of the root, so that the runtime reads no file that the container links to. */
export function messageFile(directory: string): string {
  return join(directory, 'message')
}

function placeMessage(directory: string, root: string, path: string | undefined): void {
  const file = messageFile(directory)
  if (!existsSync(file)) writeFileSync(file, '')
  const target = path === undefined ? undefined : inside(root, path)
  if (target !== undefined && lstatSync(target, { throwIfNoEntry: false }) === undefined) link(file, target)
}

function placeMount(root: string, volumes: string, mount: Mount): void {
  const volume = join(volumes, mount.volume.name)
  makeVolume(volume, mount.volume)
  const target = inside(root, mount.mountPath)
  if (mount.subPath === undefined) {
    link(volume, target)
    return
  }
  const source = inside(volume, mount.subPath)
  const isFile = mount.volume.files.some(({ path }) => inside(volume, path) === source)
  if (!isFile) mkdirSync(source, { recursive: true })
  link(source, target)
}

/** Returns where each mount comes from and where it belongs, for a host that can mount. */
export function mountedPaths(volumes: string, mounts: readonly Mount[]): readonly MountedPath[] {
  return mounts.map(({ mountPath, subPath, volume }) => {
    const whole = join(volumes, volume.name)
    const target = normalize(`/${mountPath}`).replace(/(.)\/$/, '$1')
    return { source: subPath === undefined ? whole : inside(whole, subPath), target }
  })
}

/** Creates a symbolic link. The same link may already exist, if an earlier container of the pod has a mount inside another volume. */
export function link(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  try {
    symlinkSync(source, target)
  } catch (error) {
    if (!lstatSync(target).isSymbolicLink() || readlinkSync(target) !== source) throw error
  }
}

/** Creates a volume once per pod. Later containers find it as the earlier ones left it. A kill leaves no volume without its files. */
function makeVolume(directory: string, volume: Volume): void {
  if (existsSync(directory)) return
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  for (const { path, data, mode } of volume.files) {
    const file = inside(unfinished, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, data, { mode })
    chmodSync(file, mode)
  }
  // Every user may write into a volume, as on a node. Only this user can enter the data directory.
  chmodSync(unfinished, 0o777)
  renameSync(unfinished, directory)
}

/** Resolves `path` below `directory`. It cannot leave the directory. */
function inside(directory: string, path: string): string {
  return join(directory, normalize(`/${path}`))
}
