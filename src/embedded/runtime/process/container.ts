// Starts and follows one container: its directory, its processes, its log and its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Instant } from '../../../lib/clock.ts'
import type { ContainerConfig, ContainerEnd } from '../runtime.ts'
import { findCommand } from './command.ts'
import type { InstalledImage } from './image.ts'
import { markName, shortTemporary, volumesDirectory } from './layout.ts'
import { type LogFile, openLog } from './log-file.ts'
import { areMounted, type MountedPath, type MountNamespaces, mountedCommand } from './mounts.ts'
import type { Reaper } from './reaper.ts'
import { link, makeRoot, messageFile, mountedPaths } from './root.ts'
import { readShim, shimArguments } from './shim.ts'

export type Container = {
  readonly directory: string
  readonly log: LogFile
  readonly startedAt: Instant
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  /** The main process gets only signals that it handles. */
  readonly isFirstProcess: boolean
  /** The container has a mount namespace of its own. */
  readonly hasMounts: boolean
  readonly ended: Promise<ContainerEnd>
  isEnded(): boolean
}

export type ProcessContext = {
  readonly data: string
  /** The base of every container's environment; it has `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly reaper: Reaper
  /** If given, volumes are mounted at their absolute paths. */
  readonly namespaces: MountNamespaces | undefined
}

export type Launch =
  | { readonly is: 'started'; readonly container: Container }
  | { readonly is: 'failed'; readonly message: string }

/** Creates the container's directory and starts its main process, or finds the one that an earlier Dayfly process started there. */
export async function launch(
  config: ContainerConfig,
  directory: string,
  image: InstalledImage | undefined,
  context: ProcessContext,
): Promise<Launch> {
  const isThere = existsSync(join(directory, 'shim'))
  try {
    mkdirSync(directory, { recursive: true })
    const volumes = volumesDirectory(context.data, config.id.pod)
    const { root, workingDirectory } = makeRoot(directory, volumes, config, image)
    const environment = containerEnvironment(config, directory, root, context)
    const mounts = context.namespaces ? mountedPaths(volumes, config.mounts) : []
    const { isFirstProcess } = config
    const place = { directory, environment, workingDirectory, isFirstProcess, hasMounts: mounts.length > 0 }
    if (isThere) {
      return { is: 'started', container: follow(place, context, shimGone(directory, context.clock)) }
    }
    const words = [...(config.command.length > 0 ? config.command : [image?.entrypoint ?? '']), ...config.args]
    const command = findCommand(words[0] ?? '', root, workingDirectory, environment['PATH'] ?? '')
    if (command.is === 'missing') return { is: 'failed', message: command.message }
    context.reaper.living(directory)
    const plain = [command.path, ...words.slice(1)]
    const whole = withMounts(context, place, { mounts, workingDir: config.workingDir }, plain)
    const child = spawnShim(place, whole)
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await once(child, 'spawn')
    if (place.hasMounts) await mountsDone(directory, gone, context.clock)
    return { is: 'started', container: follow(place, context, gone) }
  } catch (error) {
    // The host refused: the disk is full, the process limit is reached, or two mounts have the same path.
    await context.reaper.end(directory)
    return { is: 'failed', message: `the container cannot be made on this host: ${(error as Error).message}` }
  }
}

type Place = Pick<Container, 'directory' | 'environment' | 'workingDirectory' | 'isFirstProcess' | 'hasMounts'>

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

/** @param gone resolves when the container's shim has ended. */
function follow(place: Place, { clock, reaper }: ProcessContext, gone: Promise<void>): Container {
  const log = openLog(join(place.directory, 'log'), clock)
  reaper.living(place.directory)
  let isEnded = false
  const finish = async (): Promise<ContainerEnd> => {
    await gone
    const finishedAt = clock.now()
    await reaper.end(place.directory)
    isEnded = true
    log.end()
    return { ...endOf(place.directory), finishedAt }
  }
  return { ...place, log, startedAt: clock.now(), ended: finish(), isEnded: () => isEnded }
}

function endOf(directory: string): Omit<ContainerEnd, 'finishedAt'> {
  const { exitCode } = readShim(directory)
  if (exitCode !== undefined) return { exitCode, message: readMessage(directory) }
  return { exitCode: 137, reason: 'ContainerStatusUnknown', message: "the container's exit code was lost" }
}

const messageBytesMax = 4_096

/** Returns the end of the termination message file, or undefined if the container wrote nothing. */
function readMessage(directory: string): string | undefined {
  const file = openSync(messageFile(directory), 'r')
  try {
    const start = Math.max(0, fstatSync(file).size - messageBytesMax)
    const bytes = Buffer.alloc(messageBytesMax)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, messageBytesMax, start)) || undefined
  } finally {
    closeSync(file)
  }
}

const pollMs = 50
const mountPollMs = 5

/** Waits for the end of a shim that is not a child of this process. It polls until no process with its pid has the container's mark. */
async function shimGone(directory: string, clock: Clock): Promise<void> {
  for (;;) {
    const { shim, exitCode } = readShim(directory)
    if (exitCode !== undefined || shim === undefined || !carriesMark(shim, directory)) return
    await clock.sleep(pollMs)
  }
}

/** Waits for the mounts, so that no probe runs before them. A container that cannot mount has ended instead. */
async function mountsDone(directory: string, gone: Promise<void>, clock: Clock): Promise<void> {
  let isOver = false
  void gone.then(() => {
    isOver = true
  })
  while (!isOver && !areMounted(directory)) await clock.sleep(mountPollMs)
}

function carriesMark(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${markName}=${directory}`)
  } catch {
    return false
  }
}
