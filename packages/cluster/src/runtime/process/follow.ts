// Follows one container from its start to its end, also a container that an earlier process started.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { ContainerEnd } from '../runtime.ts'
import { markName } from './layout.ts'
import { type LogFile, openLog } from './log-file.ts'
import type { MountNamespaces } from './mounts.ts'
import type { Reaper } from './reaper.ts'
import { messageFile } from './root.ts'
import { keptSettings, type Settings } from './settings.ts'
import { isShimAlive, keepEnd, readShim } from './shim.ts'

export type Container = Settings & {
  readonly directory: string
  readonly log: LogFile
  readonly environment: Readonly<Record<string, string>>
  readonly ended: Promise<ContainerEnd>
  /** Each kills a command of a client that takes part in it. They are called when the main process has ended. */
  readonly sessions: Set<() => void>
  /** Whether the main process may still run. */
  isRunning(): boolean
  /** Whether the main process has ended, as far as this process knows. The reaper then ends all others. */
  isOver(): boolean
  /** Whether no process is left. */
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
  /** Containers and their records outlive this process. */
  readonly keeps: boolean
  /** Aborted when this process leaves its containers. */
  readonly leaving: AbortSignal
}

export type Place = Settings & Pick<Container, 'directory' | 'environment'>

const pollMs = 50

/** Finds a container that was started in this directory. Returns undefined if none was, or if its directory is gone. */
export function adopt(directory: string, context: ProcessContext): Container | undefined {
  const state = readShim(directory)
  if (!state.hasBegun) return undefined
  const settings = keptSettings(directory)
  const environment = state.shim && environmentOf(state.shim.pid)
  const isRunning = isShimAlive(state) && environment?.[markName] === directory
  const place = { ...settings, directory, environment: environment ?? {} }
  if (!isRunning) return follow(place, context, { is: 'over', at: state.exit?.at ?? context.clock.now() })
  const gone = async () => {
    const { clock, leaving } = context
    while (isShimAlive(readShim(directory)) && !leaving.aborted) await pause(clock, pollMs, leaving)
  }
  return follow(place, context, { is: 'running', gone: gone() })
}

type Found =
  /** `gone` resolves when the container's shim has ended. */
  | { readonly is: 'running'; readonly gone: Promise<void> }
  /** It had ended before this process knew it. */
  | { readonly is: 'over'; readonly at: Instant }

export function follow(place: Place, context: ProcessContext, found: Found): Container {
  const { clock, reaper, keeps, leaving } = context
  const { directory, startedAt } = place
  const times = keeps ? join(directory, 'times') : undefined
  const log = openLog({ path: join(directory, 'log'), times, startedAt }, clock)
  reaper.living(directory)
  let isOver = found.is === 'over'
  let isEnded = false
  const sessions = new Set<() => void>()
  const finish = async (): Promise<ContainerEnd> => {
    if (found.is === 'running') await untilEither(found.gone, leaving)
    const finishedAt = Math.max(startedAt, found.is === 'over' ? found.at : clock.now())
    if (!leaving.aborted) {
      isOver = true
      if (keeps && found.is === 'running') keepEnd(directory, finishedAt)
      for (const kill of sessions) kill()
      await reaper.end(directory)
      isEnded = true
    }
    log.end()
    return { ...endOf(directory), finishedAt }
  }
  const isRunning = () => !isOver && isShimAlive(readShim(directory))
  return { ...place, log, ended: finish(), sessions, isRunning, isOver: () => isOver, isEnded: () => isEnded }
}

/** Waits at most `ms`, and no longer than until the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return clock.sleep(ms, signal).catch(() => undefined)
}

/** Adds no lasting listener to the signal, which lives long. */
function untilEither(event: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish)
    void event.then(finish)
    if (signal.aborted) finish()
  })
}

function endOf(directory: string): Omit<ContainerEnd, 'finishedAt'> {
  const { exit } = readShim(directory)
  if (exit !== undefined) return { exitCode: exit.code, message: readMessage(directory) }
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

/** Returns the environment with which a process began, or undefined if it has ended. */
function environmentOf(pid: number): Readonly<Record<string, string>> | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').slice(0, -1)
    return Object.fromEntries(
      variables.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
    )
  } catch {
    return undefined
  }
}
