// A container's own directory: its root with the mounts in their places. Mounts are links to the pod's volumes.
import { lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { ContainerConfig, Mount, Volume } from '../runtime.ts'
import type { InstalledImage } from './image.ts'

export type ContainerRoot = { readonly root: string; readonly workingDirectory: string }

/** Makes the root in the container's (existing, empty) directory. Throws where two mounts or files want one place. */
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
  if (config.workingDir === undefined) return { root, workingDirectory: root }
  const workingDirectory = inside(root, config.workingDir)
  mkdirSync(workingDirectory, { recursive: true })
  return { root, workingDirectory }
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

/** The same link may stand there already: a mount inside another volume, placed for an earlier container of the pod. */
export function link(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  try {
    symlinkSync(source, target)
  } catch (error) {
    if (!lstatSync(target).isSymbolicLink() || readlinkSync(target) !== source) throw error
  }
}

/** Made once a pod: a later container finds it as the earlier ones left it. */
function makeVolume(directory: string, volume: Volume): void {
  if (mkdirSync(directory, { recursive: true }) === undefined) return
  for (const { path, data, mode } of volume.files) {
    const file = inside(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, data, { mode })
  }
}

/** `path` below `directory`, whatever it says. */
function inside(directory: string, path: string): string {
  return join(directory, normalize(`/${path}`))
}
