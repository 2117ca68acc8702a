// Outages of GitHub, as its users have met them (docs/incidents/forge-outages.md). The knob `outage` chooses one; it begins and ends at once.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'
import type { Knobs } from './config.ts'
import type { Emulation } from './emulation.ts'
import { removeRunner } from './runners.ts'
import type { Runner } from './state.ts'

/** Returns how late a job message arrives now, in milliseconds. */
export function delayOf({ outage, queueDelayS }: Knobs): number {
  return outage === 'queue-delayed' ? queueDelayS * 1_000 : 0
}

/** Lets a job message arrive later. An offer that is repeated does not begin its delay again. */
export function delayMessage({ deadlines, state }: Emulation, name: string, ms: number, arrive: () => void): void {
  if (state.late.has(name)) return
  state.late.set(name, arrive)
  deadlines.set(name, ms, () => {
    state.late.delete(name)
    arrive()
  })
}

/** After the delay of the queue its messages arrive at once, in their order. */
export function deliverLate({ deadlines, knobs, state }: Emulation): void {
  if (delayOf(knobs) > 0) return
  for (const [name, arrive] of state.late) {
    deadlines.clear(name)
    arrive()
  }
  state.late.clear()
}

/**
 * Refuses the call while every call fails; a poll that is held at the beginning gets no message. The runner's own calls go on, because their
 * hosts are others.
 */
export function inOutage(emulation: Emulation, { path }: Request, carryOut: () => Promise<Answer> | undefined) {
  const isCut = () => emulation.knobs.outage === 'fails' && !path.startsWith('/runner/')
  if (isCut()) return Promise.reject(unavailable())
  return carryOut()?.then((answer) => (isCut() ? Promise.reject(unavailable()) : answer))
}

function unavailable(): Refusal {
  return new Refusal(jsonAnswer(503, { message: 'No server is currently available to service your request.' }))
}

/** Gives every idle runner without a deadline a time after which its registration is removed, while GitHub removes idle runners. */
export function limitIdleRunners(emulation: Emulation): void {
  if (emulation.knobs.outage !== 'removes-idle') return
  for (const { idle } of emulation.state.sets.values()) {
    for (const runner of idle) limitIdle(emulation, runner)
  }
}

/** The times of several runners differ, and are the same in each run. */
function limitIdle(emulation: Emulation, runner: Runner): void {
  const { deadlines, knobs } = emulation
  const name = `idle:${runner.id}`
  if (deadlines.has(name)) return
  const leastMs = knobs.idleLifeS * 1_000
  const lifeMs = leastMs + ((runner.id * 61_000) % (2 * leastMs))
  deadlines.set(name, lifeMs, () => {
    const isIdle = runner.set?.idle.has(runner) === true
    if (isIdle && emulation.knobs.outage === 'removes-idle') removeRunner(emulation, runner)
  })
}
