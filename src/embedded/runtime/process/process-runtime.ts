// Runs containers as processes of this host. Each container is a process group with its own directory below the data directory.
// There is no isolation: containers use the host's files, network and users. Processes that a container leaves behind are found and killed.
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import type { ContainerId, Runtime } from '../runtime.ts'
import { type Container, launch, type ProcessContext } from './container.ts'
import { execIn } from './exec.ts'
import { type ImageProgram, installImages, judgeImage } from './image.ts'
import { containerDirectory, podDirectory, shortTemporary } from './layout.ts'
import type { MountNamespaces } from './mounts.ts'
import { catchesSignal, ownStart } from './proc-file.ts'
import { processScan } from './processes.ts'
import { reach } from './reach.ts'
import { createReaper, endEverything } from './reaper.ts'
import { readShim } from './shim.ts'

export type ProcessRuntimeOptions = {
  /** Created if it is missing. Removed at the end with every process in it, including those of an earlier Dayfly process. Nothing else may write here. */
  readonly dataDirectory: string
  readonly clock: Clock
  /** The base of every container's environment: at least `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  /** Images that are mapped to a program of this host. Any other image needs a command. */
  readonly images: Readonly<Record<string, ImageProgram>>
  /** If given, volumes are mounted at their absolute paths, too. */
  readonly namespaces?: MountNamespaces | undefined
}

export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const { clock } = options
  mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 })
  const data = realpathSync(options.dataDirectory)
  const images = installImages(data, options.images)
  // Only processes that an earlier Dayfly process started may be older than this one.
  const scan = processScan(data, existsSync(join(data, 'pods')) ? 0 : ownStart())
  const context: ProcessContext = {
    data,
    environment: options.environment,
    clock,
    reaper: createReaper(scan, clock),
    namespaces: options.namespaces,
  }
  const containers = new Map<string, { readonly id: ContainerId; readonly container: Container }>()
  let isClosed = false
  const find = (id: ContainerId) => containers.get(containerDirectory(data, id))?.container
  return {
    version: 'process://1.0.0',
    isolates: false,
    image: (image, policy, hasCommand) => judgeImage(image, policy, images.has(image), hasCommand),
    start: async (config) => {
      if (isClosed) return { is: 'failed', message: 'the runtime is closed' }
      const directory = containerDirectory(data, config.id)
      const running = find(config.id)
      if (running) return { is: 'started', startedAt: running.startedAt, ended: running.ended }
      const started = await launch(config, directory, images.get(config.image), context)
      if (started.is === 'failed') return started
      containers.set(directory, { id: config.id, container: started.container })
      return { is: 'started', startedAt: started.container.startedAt, ended: started.container.ended }
    },
    stop: async (id, graceMs) => {
      const container = find(id)
      if (container && !container.isEnded()) await stopContainer(container, graceMs, context)
    },
    exec: async (id, command, timeoutMs) => {
      const container = find(id)
      if (!container || container.isEnded()) return { is: 'failed', message: 'the container is not running' }
      return await execIn(container, command, timeoutMs, clock)
    },
    reach: async (id, target, timeoutMs) => {
      const container = find(id)
      if (!container || container.isEnded()) return { is: 'failed', message: 'connection refused' }
      return await reach(target, timeoutMs, clock)
    },
    containers: () => [...containers.values()].filter(({ container }) => !container.isEnded()).map(({ id }) => id),
    logs: (id, logOptions, until) => find(id)?.log.read(logOptions, until) ?? nothing(),
    remove: async (pod) => {
      const directories = containersOf(podDirectory(data, pod))
      for (const directory of directories) containers.delete(directory)
      await Promise.all(directories.map((directory) => rm(shortTemporary(data, directory), { force: true })))
      await removeDirectory(podDirectory(data, pod))
    },
    close: async () => {
      isClosed = true
      await endEverything(scan, clock)
      await Promise.all([...containers.values()].map(({ container }) => container.ended))
      await removeDirectory(data)
    },
  }
}

/** Sends SIGTERM to the main process only, as in Kubernetes. All others are killed when it has ended, or after the grace period. */
async function stopContainer(container: Container, graceMs: number, { clock, reaper }: ProcessContext): Promise<void> {
  const over = new AbortController()
  const ended = container.ended.then(() => over.abort())
  const pause = (ms: number) => clock.sleep(ms, over.signal).catch(() => undefined)
  if (graceMs > 0) {
    while (!terminate(container) && !container.isEnded()) await pause(2)
    await pause(graceMs)
  }
  while (!container.isEnded()) {
    await reaper.end(container.directory, readShim(container.directory).shim ?? 0)
    await pause(5)
  }
  await ended
}

/** Sends SIGTERM to the main process. Returns whether the main process is known; it may have ended. */
function terminate(container: Container): boolean {
  const { main, exitCode } = readShim(container.directory)
  if (main === undefined) return false
  try {
    // In Kubernetes the main process is the first of its PID namespace. The kernel drops a signal that such a process does not handle.
    const isDropped = container.isFirstProcess && !catchesSignal(main, constants.signals.SIGTERM)
    if (exitCode === undefined && !isDropped) process.kill(main, 'SIGTERM')
  } catch {
    // The process has ended in the meantime.
  }
  return true
}

function containersOf(pod: string): readonly string[] {
  try {
    return readdirSync(pod).map((name) => join(pod, name))
  } catch {
    // No container of the pod was ever started.
    return []
  }
}

function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 })
}

async function* nothing(): AsyncGenerator<string> {}
