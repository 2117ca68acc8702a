// The times of a life's steps, for events that come twice, late, or in another order.
import type { Instant } from '@dayfly/kit/clock'
import type { LifeSteps } from '../model/life.ts'

export type StepName = keyof LifeSteps

/** The steps in the order in which they happen. `queued` is not among them: a runner may be there before its job. */
const order = [
  'registered',
  'created',
  'started',
  'online',
  'jobStarted',
  'jobFinished',
  'ended',
  'gone',
] as const satisfies readonly StepName[]

export const noSteps: LifeSteps = {
  queued: null,
  registered: null,
  created: null,
  started: null,
  online: null,
  jobStarted: null,
  jobFinished: null,
  ended: null,
  gone: null,
}

/**
 * Notes a step. The earliest report counts. A step happened no later than the ones that follow it, also if its report
 * came after theirs, so no part of a life takes a negative time, and the order of the reports does not matter.
 */
export function withStep(steps: LifeSteps, name: StepName, at: Instant): LifeSteps {
  if (name === 'queued') return withQueued(steps, at)
  const changed: { -readonly [Name in StepName]: Instant | null } = { ...steps }
  const place = order.indexOf(name)
  let latest = at
  for (const later of order.slice(place)) latest = Math.min(latest, steps[later] ?? latest)
  changed[name] = latest
  for (const earlier of order.slice(0, place)) {
    const known = steps[earlier]
    if (known !== null && known > latest) changed[earlier] = latest
  }
  if (changed.queued !== null && changed.jobStarted !== null) {
    changed.queued = Math.min(changed.queued, changed.jobStarted)
  }
  return changed
}

function withQueued(steps: LifeSteps, at: Instant): LifeSteps {
  return { ...steps, queued: Math.min(at, steps.queued ?? at, steps.jobStarted ?? at) }
}

/** Merges two views of one life. */
export function mergedSteps(one: LifeSteps, other: LifeSteps): LifeSteps {
  let steps = one
  for (const name of ['queued', ...order] as const) {
    const at = other[name]
    if (at !== null) steps = withStep(steps, name, at)
  }
  return steps
}
