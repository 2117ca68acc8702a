// The lifecycle of a runner at the forge: registered, connected (idle, reserved, busy), offline, removed (docs/reference/scale-set-protocol.md#s11).
import type { Emulation } from './emulation.ts'
import { type Job, place, type Runner, type ScaleSet, type Scope } from './state.ts'

export type Registrant = {
  readonly name: string
  readonly scope: Scope
  readonly set: ScaleSet | undefined
  readonly labels: readonly string[]
}

/** Registers a runner that is not connected. Returns undefined if its scope already has a runner with that name. */
export function registerRunner(emulation: Emulation, registrant: Registrant): Runner | undefined {
  const { state, clock } = emulation
  if (runnerNamed(emulation, registrant.name, registrant.scope)) return undefined
  const runner: Runner = {
    ...registrant,
    id: ++state.ids.runner,
    createdAt: clock.now(),
    online: false,
    connected: false,
    session: undefined,
    listening: false,
    version: undefined,
    job: undefined,
    acknowledged: false,
    cancelSent: false,
    wake: undefined,
  }
  state.runners.set(runner.id, runner)
  const namesakes = state.runnersByName.get(runner.name) ?? []
  state.runnersByName.set(runner.name, [...namesakes, runner])
  registrant.scope.runners.add(runner)
  registrant.set?.runners.add(runner)
  removeIfOffline(emulation, runner)
  return runner
}

/** Finds a runner by name, in one scope or in all scopes. */
export function runnerNamed(emulation: Emulation, name: string, scope?: Scope): Runner | undefined {
  const namesakes = emulation.state.runnersByName.get(name)
  return scope === undefined ? namesakes?.[0] : namesakes?.find((runner) => runner.scope === scope)
}

/** Returns the runners of a scope, the oldest one first; with a name, only the runner of that name. */
export function runnersOf(emulation: Emulation, scope: Scope, name: string | undefined): readonly Runner[] {
  if (name === undefined) return [...scope.runners]
  const runner = runnerNamed(emulation, name, scope)
  return runner ? [runner] : []
}

/** Marks the runner as online, so that it can get a job. */
export function connectRunner(emulation: Emulation, runner: Runner): void {
  runner.connected = true
  runner.online = true
  emulation.deadlines.clear(`offline:${runner.id}`)
  runner.set?.online.add(runner)
  if (!runner.job) runner.set?.idle.add(runner)
}

/** Records a request of the runner. After `runnerIdleS` without another one the runner is offline. */
export function touchRunner(emulation: Emulation, runner: Runner): void {
  if (!runner.online) connectRunner(emulation, runner)
  emulation.deadlines.set(`silent:${runner.id}`, emulation.knobs.runnerIdleS * 1000, () => {
    disconnectRunner(emulation, runner)
  })
}

/** Marks the runner as offline. A reserved job waits for another runner. A running job lives until its lease ends. */
export function disconnectRunner(emulation: Emulation, runner: Runner): void {
  const { set, job } = runner
  runner.online = false
  emulation.deadlines.clear(`silent:${runner.id}`)
  set?.online.delete(runner)
  set?.idle.delete(runner)
  if (job && set && job.state !== 'running') {
    runner.job = undefined
    job.runner = undefined
    place(job, set.waiting)
  }
  removeIfOffline(emulation, runner)
}

/** Reserves an assigned job for an idle runner, which must still start it. */
export function reserveRunner(job: Job, runner: Runner, set: ScaleSet): void {
  job.runner = runner
  runner.job = job
  runner.acknowledged = false
  set.idle.delete(runner)
  place(job, set.reserved)
  runner.wake?.()
}

/** Takes a reserved job away from a runner, which is then idle again. */
export function freeRunner(runner: Runner): void {
  runner.job = undefined
  if (runner.online) runner.set?.idle.add(runner)
}

/** Removes the registration of a runner whose job has ended, at once or after `registrationDelayMs`. */
export function dropRunner(emulation: Emulation, runner: Runner): void {
  runner.job = undefined
  runner.online = false
  runner.set?.online.delete(runner)
  runner.set?.idle.delete(runner)
  const { registrationDelayMs } = emulation.knobs
  if (registrationDelayMs === 0) removeRunner(emulation, runner)
  else emulation.deadlines.set(`drop:${runner.id}`, registrationDelayMs, () => removeRunner(emulation, runner))
}

/** Removes the registration. A held poll of the runner ends at once. */
export function removeRunner(emulation: Emulation, runner: Runner): void {
  const { state, deadlines } = emulation
  for (const name of ['offline', 'silent', 'drop', 'idle']) deadlines.clear(`${name}:${runner.id}`)
  state.runners.delete(runner.id)
  const others = state.runnersByName.get(runner.name)?.filter((other) => other !== runner) ?? []
  if (others.length > 0) state.runnersByName.set(runner.name, others)
  else state.runnersByName.delete(runner.name)
  runner.scope.runners.delete(runner)
  runner.set?.runners.delete(runner)
  runner.set?.online.delete(runner)
  runner.set?.idle.delete(runner)
  runner.wake?.()
}

/** Removes the registration of a runner without a job if it stays offline for `runnerOfflineS`. */
function removeIfOffline(emulation: Emulation, runner: Runner): void {
  if (runner.job) return
  emulation.deadlines.set(`offline:${runner.id}`, emulation.knobs.runnerOfflineS * 1000, () => {
    removeRunner(emulation, runner)
  })
}
