// Starts one container: its directory and its processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { ContainerConfig } from '../runtime.ts'
import { findCommand } from './command.ts'
import { adopt, type Container, follow, type Place, type ProcessContext } from './follow.ts'
import type { InstalledImage } from './image.ts'
import { markName, shortTemporary, volumesDirectory } from './layout.ts'
import { areMounted, type MountedPath, mountedCommand } from './mounts.ts'
import { link, makeRoot, mountedPaths } from './root.ts'
import { keepSettings } from './settings.ts'
import { shimArguments } from './shim.ts'

export type Launch =
  | { readonly is: 'started'; readonly container: Container }
  | { readonly is: 'failed'; readonly message: string }

/** Creates the container's directory and starts its main process. The container must not have been started before. */
export async function launch(
  config: ContainerConfig,
  directory: string,
  image: InstalledImage | undefined,
  context: ProcessContext,
): Promise<Launch> {
  try {
    if (mkdirSync(directory, { recursive: true }) === undefined) {
      const begun = await clear(directory, context)
      if (begun) return { is: 'started', container: begun }
    }
    const volumes = volumesDirectory(context.data, config.id.pod)
    const { root, workingDirectory } = makeRoot(directory, volumes, config, image)
    const environment = containerEnvironment(config, directory, root, context)
    const mounts = context.namespaces ? [...mountedPaths(volumes, config.mounts), ...ofImage(config, image)] : []
    const words = [...(config.command.length > 0 ? config.command : [image?.entrypoint ?? '']), ...config.args]
    const command = findCommand(words[0] ?? '', root, workingDirectory, environment['PATH'] ?? '')
    if (command.is === 'missing') return { is: 'failed', message: command.message }
    context.reaper.living(directory)
    const { isFirstProcess } = config
    const settings = { startedAt: context.clock.now(), workingDirectory, isFirstProcess, hasMounts: mounts.length > 0 }
    const place = { ...settings, directory, environment }
    const plain = withOddNames(environment, [command.path, ...words.slice(1)])
    const whole = withMounts(context, place, { mounts, workingDir: config.workingDir }, plain)
    keepSettings(directory, settings)
    const child = spawnShim(place, whole)
    // This process may end before the container.
    if (context.keeps) child.unref()
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await once(child, 'spawn')
    if (place.hasMounts) await mountsDone(directory, gone, context.clock)
    return { is: 'started', container: follow(place, context, { is: 'running', gone }) }
  } catch (error) {
    // The host refused: the disk is full, the process limit is reached, or two mounts have the same path.
    await context.reaper.end(directory)
    return { is: 'failed', message: `the container cannot be made on this host: ${(error as Error).message}` }
  }
}

/**
 * Clears the directory of a start that an earlier process did not finish. Its shim may begin only now.
 * A container that has begun is never started a second time, so it is returned.
 */
async function clear(directory: string, context: ProcessContext): Promise<Container | undefined> {
  await context.reaper.end(directory)
  const begun = adopt(directory, context)
  if (begun) return begun
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  return undefined
}

/** Some shells drop the variables whose names they cannot use, such as `app.name`. The command gets them behind the last shell. */
function withOddNames(environment: Readonly<Record<string, string>>, command: readonly string[]): readonly string[] {
  const odd = Object.entries(environment).filter(([name]) => !/^[A-Za-z_]\w*$/.test(name))
  return odd.length === 0
    ? command
    : ['/usr/bin/env', '--', ...odd.map(([name, value]) => `${name}=${value}`), ...command]
}

/** A command may call the image's program by its absolute path. A program of this host at the same path stays what it is. */
function ofImage({ command }: ContainerConfig, image: InstalledImage | undefined): readonly MountedPath[] {
  if (image === undefined || command.length === 0 || existsSync(image.entrypoint)) return []
  return [{ source: image.file, target: image.entrypoint }]
}

type Mounted = { readonly mounts: readonly MountedPath[]; readonly workingDir: string | undefined }

/** Returns the command that mounts the volumes and then runs the given one. */
function withMounts(
  { data, namespaces }: ProcessContext,
  { directory, workingDirectory }: Place,
  { mounts, workingDir }: Mounted,
  command: readonly string[],
): readonly string[] {
  if (namespaces === undefined || mounts.length === 0) return command
  const isVisible = (path: string) => existsSync(path) || mounts.some(({ target }) => path === target)
  const inside = workingDir !== undefined && isVisible(workingDir) ? workingDir : workingDirectory
  return mountedCommand(namespaces, { data, directory, workingDirectory: inside }, mounts, command)
}

function containerEnvironment(
  config: ContainerConfig,
  directory: string,
  root: string,
  { data, environment: base }: ProcessContext,
): Record<string, string> {
  const own = { [markName]: directory, DAYFLY_ROOT: root }
  const temporary = shortTemporary(data, directory)
  link(join(root, 'tmp'), temporary)
  // The mark is the first variable, where a scan finds it soonest. It is set again at the end, so that the container cannot override it.
  return { ...own, HOME: join(root, 'root'), TMPDIR: temporary, ...base, ...config.env, ...own }
}

/** Starts the shim in the container's working directory with the log as its output. */
function spawnShim(place: Place, command: readonly string[]): ChildProcess {
  const log = openSync(join(place.directory, 'log'), 'a')
  try {
    return spawn('/bin/sh', shimArguments(place.directory, command), {
      cwd: place.workingDirectory,
      env: place.environment,
      stdio: ['ignore', log, log],
      detached: true,
    })
  } finally {
    closeSync(log)
  }
}

const mountPollMs = 5

/** Waits for the mounts, so that no probe runs before them. A container that cannot mount has ended instead. */
async function mountsDone(directory: string, gone: Promise<void>, clock: Clock): Promise<void> {
  let isOver = false
  void gone.then(() => {
    isOver = true
  })
  while (!isOver && !areMounted(directory)) await clock.sleep(mountPollMs)
}
