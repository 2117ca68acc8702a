// Runs containers as processes of this host. Each container is a process group with its own directory below the data directory.
// There is no isolation: containers use the host's files, network and users. Processes that a container leaves behind are found and killed.
import { setMaxListeners } from 'node:events'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { ContainerId, ContainerStart, ContainerUsage, Runtime } from '../runtime.ts'
import { launch } from './container.ts'
import { execIn } from './exec.ts'
import { adopt, type Container, type ProcessContext, pause } from './follow.ts'
import { type ImageProgram, installImages, judgeImage } from './image.ts'
import { containerDirectory, containersIn, podDirectory, podsIn, shortTemporary } from './layout.ts'
import type { MountNamespaces } from './mounts.ts'
import { catchesSignal, isAlive, ownStart } from './proc-file.ts'
import { type ProcessScan, processScan } from './processes.ts'
import { reach } from './reach.ts'
import { createReaper, endEverything } from './reaper.ts'
import { openSession } from './session.ts'
import { readShim } from './shim.ts'
import { usageByPlace } from './usage.ts'

export type ProcessRuntimeOptions = {
  /** Created if it is missing. Nothing else may write here. */
  readonly dataDirectory: string
  /**
   * Without it, the end of the runtime kills every container and removes the directory, also what an earlier Dayfly process left there.
   * With it, containers and their records outlive the runtime, and the next one with the same directory takes them over.
   */
  readonly keeps?: boolean
  readonly clock: Clock
  /** The base of every container's environment: at least `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  /** Images that are mapped to a program of this host. A name without a tag stands for each tag. Any other image needs a command. */
  readonly images: Readonly<Record<string, ImageProgram>>
  /** If given, volumes are mounted at their absolute paths, too. */
  readonly namespaces?: MountNamespaces | undefined
}

export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const { clock, keeps = false, environment, namespaces } = options
  mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 })
  const data = realpathSync(options.dataDirectory)
  const images = installImages(data, options.images)
  // Only processes that an earlier Dayfly process started may be older than this one.
  const scan = processScan(data, existsSync(join(data, 'pods')) ? 0 : ownStart())
  const leaving = new AbortController()
  setMaxListeners(0, leaving.signal)
  const reaper = createReaper(scan, clock)
  const context = { data, environment, clock, reaper, namespaces, keeps, leaving: leaving.signal }
  const containers: Containers = new Map()
  let isClosed = false
  const find = (id: ContainerId) => findContainer(containers, id, data, isClosed ? undefined : context)
  return {
    version: 'process://1.0.0',
    isolates: false,
    image: (image, policy, hasCommand) => judgeImage(image, policy, images(image) !== undefined, hasCommand),
    start: async (config) => {
      if (isClosed) return { is: 'failed', message: 'the runtime is closed' }
      const known = find(config.id)
      if (known) return asStarted(known)
      const directory = containerDirectory(data, config.id)
      const launched = await launch(config, directory, images(config.image), context)
      if (launched.is === 'failed') return launched
      containers.set(directory, { id: config.id, container: launched.container })
      return asStarted(launched.container)
    },
    adopt: (id) => {
      const container = find(id)
      return container && { ...asStarted(container), isRunning: container.isRunning() }
    },
    stop: async (id, graceMs) => {
      const container = find(id)
      if (container && !container.isEnded() && !isClosed) await stopContainer(container, graceMs, context)
    },
    exec: async (id, command, timeoutMs) => {
      const container = find(id)
      const isRunning = container && !container.isEnded() && !isClosed
      if (!isRunning) return { is: 'failed', message: 'the container is not running' }
      return await execIn(container, command, timeoutMs, context)
    },
    session: (id, order, until) => {
      const container = find(id)
      // After the end of the main process, the reaper may have found the last process already.
      if (isClosed || !container || container.isOver()) return undefined
      return openSession(container, order, until, context)
    },
    reach: async (id, target, timeoutMs) => {
      const container = find(id)
      if (!container || container.isEnded()) return { is: 'failed', message: 'connection refused' }
      return await reach(target, timeoutMs, clock)
    },
    containers: () => [...containers.values()].filter(({ container }) => !container.isEnded()).map(({ id }) => id),
    usage: () => usagesOf(containers, scan),
    left: (except) => {
      const pods = podsIn(data).filter((pod) => !except?.has(pod))
      return new Map(pods.map((pod) => [pod, containersIn(data, pod).filter((id) => hasBegun(data, id))]))
    },
    logs: (id, logOptions, until) => find(id)?.log.read(logOptions, until) ?? nothing(),
    remove: async (pod) => {
      if (!isClosed) await removePod(containers, data, pod)
    },
    close: async () => {
      isClosed = true
      if (!context.keeps) await endEverything(scan, clock)
      else leaving.abort()
      await Promise.all([...containers.values()].map(({ container }) => container.ended))
      if (!context.keeps) await removeDirectory(data)
    },
  }
}

/** The containers that this process started or adopted, by their directories. */
type Containers = Map<string, { readonly id: ContainerId; readonly container: Container }>

/** @param adopting adopts a container that this process does not know yet */
function findContainer(
  containers: Containers,
  id: ContainerId,
  data: string,
  adopting: ProcessContext | undefined,
): Container | undefined {
  const directory = containerDirectory(data, id)
  const known = containers.get(directory)?.container
  if (known !== undefined || adopting === undefined) return known
  const container = adopt(directory, adopting)
  if (container) containers.set(directory, { id, container })
  return container
}

async function removePod(containers: Containers, data: string, pod: string): Promise<void> {
  const directories = containersIn(data, pod).map((id) => containerDirectory(data, id))
  for (const directory of directories) containers.delete(directory)
  await Promise.all(directories.map((directory) => rm(shortTemporary(data, directory), { force: true })))
  await removeDirectory(podDirectory(data, pod))
}

function usagesOf(containers: Containers, scan: ProcessScan): readonly ContainerUsage[] {
  const amounts = usageByPlace(scan)
  return [...containers].flatMap(([directory, { id, container }]) => {
    const used = container.isEnded() ? undefined : amounts.get(directory)
    return used ? [{ id, startedAt: container.startedAt, ...used }] : []
  })
}

function asStarted({ startedAt, ended }: Container): Extract<ContainerStart, { is: 'started' }> {
  return { is: 'started', startedAt, ended }
}

/** Sends SIGTERM to the main process only, as in Kubernetes. All others are killed when it has ended, or after the grace period. */
async function stopContainer(
  container: Container,
  graceMs: number,
  { clock, reaper, leaving }: ProcessContext,
): Promise<void> {
  const over = new AbortController()
  const ended = container.ended.then(() => over.abort())
  // A runtime that leaves its containers resolves `ended` first.
  const isOver = () => container.isEnded() || leaving.aborted
  if (graceMs > 0) {
    while (!terminate(container) && !isOver()) await pause(clock, 2, over.signal)
    await pause(clock, graceMs, over.signal)
  }
  while (!isOver()) {
    await reaper.end(container.directory, readShim(container.directory).shim?.pid ?? 0)
    await pause(clock, 5, over.signal)
  }
  await ended
}

/** Sends SIGTERM to the main process. Returns whether the main process is known; it may have ended. */
function terminate(container: Container): boolean {
  const { main } = readShim(container.directory)
  if (main === undefined) return false
  try {
    // In Kubernetes the main process is the first of its PID namespace. The kernel drops a signal that such a process does not handle.
    const isDropped = container.isFirstProcess && !catchesSignal(main.pid, constants.signals.SIGTERM)
    if (container.isRunning() && isAlive(main) && !isDropped) process.kill(main.pid, 'SIGTERM')
  } catch {
    // The process has ended in the meantime.
  }
  return true
}

/** Whether the container's command has begun, as far as its records show. */
function hasBegun(data: string, id: ContainerId): boolean {
  return existsSync(join(containerDirectory(data, id), 'shim'))
}

function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 })
}

async function* nothing(): AsyncGenerator<string> {}
