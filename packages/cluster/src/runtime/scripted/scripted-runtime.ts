// A container runtime that simulates containers on a given clock. No process runs.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import { type CommandEnd, type CommandOrder, sessionOf } from '@dayfly/kit/command-session'
import { aborted } from '@dayfly/kit/signals'
import type {
  ContainerConfig,
  ContainerEnd,
  ContainerId,
  ExecResult,
  ImageVerdict,
  NetworkResult,
  NetworkTarget,
  Runtime,
} from '../runtime.ts'

/** The behaviour of a scripted container. Without settings it runs until SIGTERM and then ends at once with exit code 143. Times are in milliseconds. */
export type Script = {
  /** The container ends by itself this long after its start. */
  readonly endsAfterMs?: number
  readonly exitCode?: number
  readonly reason?: ContainerEnd['reason']
  /** The effect of SIGTERM: the container ends after `afterMs`, or ignores the signal. */
  readonly onTerm?: { readonly afterMs: number; readonly exitCode: number } | 'ignored'
  /** The message with which the start fails. */
  readonly startError?: string
  /** Plays the container from its start on, where no fixed time ends it. */
  readonly play?: (container: PlayedContainer) => void
  /** The output that the container prints at its start. */
  readonly output?: string
  /** The result of an exec probe or hook, or of a client's command, from the command and the container's age. */
  readonly exec?: (command: readonly string[], elapsedMs: number) => ExecScript
  /** The response to a network probe or hook, from the container's age. The default is an immediate 200. */
  readonly network?: (target: NetworkTarget, elapsedMs: number) => NetworkScript
}

/** A running container in the hands of its script. */
export type PlayedContainer = {
  readonly config: ContainerConfig
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<ContainerEnd>
  /** Ends it. Without effect if it has ended. */
  end(end: Omit<ContainerEnd, 'finishedAt'>): void
}

/** The status is ignored for a TCP connection. */
export type NetworkScript = { readonly status?: number; readonly afterMs?: number } | 'refused' | 'hangs'

export type ExecScript = { readonly exitCode: number; readonly afterMs?: number; readonly output?: string } | 'hangs'

/** One recorded event of a container, for tests that check the order. */
export type RecordedAction = {
  readonly at: Instant
  readonly what: 'start' | 'term' | 'kill' | 'end'
  /** `pod uid/container.attempt` */
  readonly container: string
}

export interface ScriptedRuntime extends Runtime {
  /** The recorded events, oldest first; empty unless `remembers` is set. */
  readonly actions: readonly RecordedAction[]
  /** Returns how many containers run now. */
  running(): number
}

export type ScriptedRuntimeOptions = {
  readonly clock: Clock
  /** Returns the behaviour of one attempt of a container. */
  readonly script: (config: Pick<ContainerConfig, 'id' | 'image'>) => Script
  /** Returns why an image is refused. If absent, every image is present. */
  readonly refuseImage?: (image: string) => Extract<ImageVerdict, { is: 'refused' }> | undefined
  /** Whether to record `actions`. */
  readonly remembers?: boolean
}

type Actor = {
  readonly id: ContainerId
  readonly script: Script
  readonly startedAt: Instant
  readonly ended: Promise<ContainerEnd>
  readonly output: string
  isEnded: boolean
  end(end: Omit<ContainerEnd, 'finishedAt'>): void
}

export function createScriptedRuntime(options: ScriptedRuntimeOptions): ScriptedRuntime {
  const { clock, script: scriptOf, refuseImage = () => undefined, remembers = false } = options
  const actors = createActors()
  const actions: RecordedAction[] = []
  const note = (what: RecordedAction['what'], id: ContainerId) => {
    if (remembers) actions.push({ at: clock.now(), what, container: nameOf(id) })
  }
  const running = () => actors.all().filter(({ isEnded }) => !isEnded)
  return {
    version: 'scripted://1.0.0',
    isolates: true,
    actions,
    running: () => running().length,
    image: (image) => refuseImage(image) ?? { is: 'present' },
    start: async (config) => {
      const known = actors.get(config.id)
      if (known) return { is: 'started', startedAt: known.startedAt, ended: known.ended }
      const script = scriptOf(config)
      if (script.startError !== undefined) return { is: 'failed', message: script.startError }
      note('start', config.id)
      const actor = perform({ id: config.id, script }, clock, () => note('end', config.id))
      actors.add(actor)
      script.play?.({ config, ended: actor.ended, end: actor.end })
      return { is: 'started', startedAt: actor.startedAt, ended: actor.ended }
    },
    adopt: (id) => {
      const known = actors.get(id)
      if (known === undefined) return undefined
      return { is: 'started', startedAt: known.startedAt, ended: known.ended, isRunning: !known.isEnded }
    },
    stop: async (id, graceMs) => {
      const actor = actors.get(id)
      if (!actor || actor.isEnded) return
      if (graceMs > 0) {
        note('term', id)
        await terminate(actor, graceMs, clock)
      }
      if (!actor.isEnded) {
        note('kill', id)
        actor.end({ exitCode: 137 })
      }
      await actor.ended
    },
    exec: async (id, command, timeoutMs) => {
      const actor = actors.get(id)
      if (!actor || actor.isEnded) return { is: 'failed', message: 'the container is not running' }
      return await execute(actor, command, timeoutMs, clock)
    },
    session: (id, order, until) => {
      const actor = actors.get(id)
      return actor && !actor.isEnded ? sessionOf(converse(actor, order, until, clock)) : undefined
    },
    reach: async (id, target, timeoutMs) => {
      const actor = actors.get(id)
      if (!actor || actor.isEnded) return { is: 'failed', message: 'connection refused' }
      return await answer(actor, target, timeoutMs, clock)
    },
    containers: () => running().map(({ id }) => id),
    usage: () => [],
    left: (except) => {
      const pods = new Map<string, ContainerId[]>()
      for (const { id } of actors.all()) if (!except?.has(id.pod)) pods.set(id.pod, [...(pods.get(id.pod) ?? []), id])
      return pods
    },
    logs: async function* (id) {
      const output = actors.get(id)?.output ?? ''
      if (output !== '') yield output
    },
    remove: async (pod) => actors.remove(pod),
    close: async () => {
      for (const actor of running()) actor.end({ exitCode: 137 })
      actors.clear()
    },
  }
}

/** The containers that exist, by pod and by name and attempt. */
function createActors() {
  const byPod = new Map<string, Map<string, Actor>>()
  const keyOf = ({ name, attempt }: ContainerId) => `${name}.${attempt}`
  return {
    all: () => [...byPod.values()].flatMap((ofPod) => [...ofPod.values()]),
    get: (id: ContainerId) => byPod.get(id.pod)?.get(keyOf(id)),
    add: (actor: Actor) => {
      const ofPod = byPod.get(actor.id.pod) ?? new Map<string, Actor>()
      byPod.set(actor.id.pod, ofPod.set(keyOf(actor.id), actor))
    },
    remove: (pod: string) => void byPod.delete(pod),
    clear: () => byPod.clear(),
  }
}

function nameOf({ pod, name, attempt }: ContainerId): string {
  return `${pod}/${name}.${attempt}`
}

function perform({ id, script }: Pick<Actor, 'id' | 'script'>, clock: Clock, onEnd: () => void): Actor {
  let timer: Timer | undefined
  let resolve = (_: ContainerEnd) => {}
  const ended = new Promise<ContainerEnd>((settle) => {
    resolve = settle
  })
  const actor: Actor = {
    id,
    script,
    startedAt: clock.now(),
    ended,
    output: script.output ?? '',
    isEnded: false,
    end: (end) => {
      if (actor.isEnded) return
      actor.isEnded = true
      timer?.cancel()
      onEnd()
      resolve({ ...end, finishedAt: clock.now() })
    },
  }
  const { endsAfterMs, exitCode = 0, reason } = script
  if (endsAfterMs !== undefined) {
    timer = clock.after(endsAfterMs, () => actor.end({ exitCode, ...(reason ? { reason } : {}) }))
  }
  return actor
}

/** Waits for the grace period, or until the container has ended. */
async function terminate(actor: Actor, graceMs: number, clock: Clock): Promise<void> {
  const { onTerm = { afterMs: 0, exitCode: 143 } } = actor.script
  const waits: Timer[] = []
  const graceOver = new Promise<void>((resolve) => waits.push(clock.after(graceMs, resolve)))
  if (onTerm !== 'ignored') {
    const { afterMs, exitCode } = onTerm
    if (afterMs === 0) actor.end({ exitCode })
    else waits.push(clock.after(afterMs, () => actor.end({ exitCode })))
  }
  await Promise.race([graceOver, actor.ended])
  for (const wait of waits) wait.cancel()
}

async function execute(
  actor: Actor,
  command: readonly string[],
  timeoutMs: number | undefined,
  clock: Clock,
): Promise<ExecResult> {
  const reply = actor.script.exec?.(command, clock.now() - actor.startedAt) ?? { exitCode: 0 }
  // A hook or probe ends together with its container.
  const death: ExecResult = { is: 'ended', exitCode: 137, output: '' }
  if (reply === 'hangs') return await outcome<ExecResult>(actor, clock, { timeoutMs, death })
  const { exitCode, afterMs = 0, output = '' } = reply
  const result: ExecResult = { is: 'ended', exitCode, output }
  return await outcome<ExecResult>(actor, clock, { timeoutMs, death, result, afterMs })
}

/** Plays a client's command: its input is dropped, and its output arrives at its end. */
async function converse(actor: Actor, order: CommandOrder, until: AbortSignal, clock: Clock): Promise<CommandEnd> {
  const result = await Promise.race([execute(actor, order.command, undefined, clock), aborted(until)])
  if (result?.is !== 'ended') return { is: 'failed', message: 'the command was killed' }
  if (result.output !== '') await order.stdout?.(Buffer.from(result.output))
  return { is: 'exited', exitCode: result.exitCode }
}

async function answer(
  actor: Actor,
  target: NetworkTarget,
  timeoutMs: number | undefined,
  clock: Clock,
): Promise<NetworkResult> {
  const reply = actor.script.network?.(target, clock.now() - actor.startedAt) ?? { status: 200 }
  if (reply === 'refused') return { is: 'failed', message: 'connection refused' }
  const death: NetworkResult = { is: 'failed', message: 'connection reset by peer' }
  if (reply === 'hangs') return await outcome<NetworkResult>(actor, clock, { timeoutMs, death })
  const result: NetworkResult = { is: 'reached', status: target.is === 'http' ? (reply.status ?? 200) : undefined }
  return await outcome<NetworkResult>(actor, clock, { timeoutMs, death, result, afterMs: reply.afterMs ?? 0 })
}

type Course<Result> = {
  readonly timeoutMs: number | undefined
  /** The result if the container ends first. */
  readonly death: Result
  /** If absent, the call hangs. */
  readonly result?: Result
  readonly afterMs?: number
}

async function outcome<Result>(
  actor: Actor,
  clock: Clock,
  { timeoutMs, death, result, afterMs = 0 }: Course<Result>,
): Promise<Result | { readonly is: 'timed-out' }> {
  const waits: Timer[] = []
  const first = new Promise<Result | { readonly is: 'timed-out' }>((resolve) => {
    if (timeoutMs !== undefined) waits.push(clock.after(timeoutMs, () => resolve({ is: 'timed-out' })))
    void actor.ended.then(() => resolve(death))
    if (result === undefined) return
    if (afterMs === 0) resolve(result)
    else waits.push(clock.after(afterMs, () => resolve(result)))
  })
  const settled = await first
  for (const wait of waits) wait.cancel()
  return settled
}
