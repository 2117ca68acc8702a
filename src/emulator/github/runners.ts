// A runner's life at the forge: registered, connected (idle, reserved, busy), perhaps offline, gone (scale-set protocol 11, 15.4).
import type { Emulation } from './emulation.ts'
import { type Job, place, type Runner, type ScaleSet, type Scope } from './state.ts'

export type Registrant = {
  readonly name: string
  readonly scope: Scope
  readonly set: ScaleSet | undefined
  readonly labels: readonly string[]
}

/** Registers a runner that has not connected yet; undefined when the name is taken in its scope. */
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
    cancelTold: false,
    wake: undefined,
  }
  state.runners.set(runner.id, runner)
  state.runnersByName.set(`${runner.scope.key}/${runner.name}`, runner)
  registrant.set?.runners.add(runner)
  expectBack(emulation, runner)
  return runner
}

/** The runner of that name, in one scope or in any. */
export function runnerNamed(emulation: Emulation, name: string, scope?: Scope): Runner | undefined {
  if (scope === undefined) return [...emulation.state.runners.values()].find((runner) => runner.name === name)
  return emulation.state.runnersByName.get(`${scope.key}/${name}`)
}

/** The runner connects: it can be given a job. */
export function connectRunner(emulation: Emulation, runner: Runner): void {
  runner.connected = true
  runner.online = true
  emulation.deadlines.clear(`offline:${runner.id}`)
  runner.set?.online.add(runner)
  if (!runner.job) runner.set?.idle.add(runner)
}

/** The runner spoke over the wire; it is offline once it has been silent for too long. */
export function touchRunner(emulation: Emulation, runner: Runner): void {
  if (!runner.online) connectRunner(emulation, runner)
  emulation.deadlines.set(`silent:${runner.id}`, emulation.knobs.runnerIdleS * 1000, () => {
    disconnectRunner(emulation, runner)
  })
}

/** The runner is offline. A job it had not taken yet waits for another one; one it runs lives until its lease ends. */
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
  expectBack(emulation, runner)
}

/** Gives an assigned job to an idle runner, which has yet to take it. */
export function reserveRunner(job: Job, runner: Runner, set: ScaleSet): void {
  job.runner = runner
  runner.job = job
  runner.acknowledged = false
  set.idle.delete(runner)
  place(job, set.reserved)
  runner.wake?.()
}

/** The job it had not taken is withdrawn: the runner is idle again. */
export function freeRunner(runner: Runner): void {
  runner.job = undefined
  if (runner.online) runner.set?.idle.add(runner)
}

/** Its job is over: the registration goes, now or a little later. */
export function dropRunner(emulation: Emulation, runner: Runner): void {
  runner.job = undefined
  runner.online = false
  runner.set?.online.delete(runner)
  runner.set?.idle.delete(runner)
  const { registrationDelayMs } = emulation.knobs
  if (registrationDelayMs === 0) removeRunner(emulation, runner)
  else emulation.deadlines.set(`offline:${runner.id}`, registrationDelayMs, () => removeRunner(emulation, runner))
}

/** The registration is gone; a poll of the runner learns it at once. */
export function removeRunner(emulation: Emulation, runner: Runner): void {
  const { state, deadlines } = emulation
  for (const name of ['offline', 'silent']) deadlines.clear(`${name}:${runner.id}`)
  state.runners.delete(runner.id)
  state.runnersByName.delete(`${runner.scope.key}/${runner.name}`)
  runner.set?.runners.delete(runner)
  runner.set?.online.delete(runner)
  runner.set?.idle.delete(runner)
  runner.wake?.()
}

/** An offline runner without a job loses its registration in the end. */
function expectBack(emulation: Emulation, runner: Runner): void {
  if (runner.job) return
  emulation.deadlines.set(`offline:${runner.id}`, emulation.knobs.runnerOfflineS * 1000, () => {
    removeRunner(emulation, runner)
  })
}
