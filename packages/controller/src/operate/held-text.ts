// Why missing runners do not start now, in words.

import { counted } from '@dayfly/kit/age-text'
import { unreachable } from '@dayfly/kit/assert'
import { roomText } from '@dayfly/runner-set/core/quota-room'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import type { Held, HeldBy } from '@dayfly/runner-set/model/held'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

export type HeldContext = {
  readonly set: RunnerSet
  readonly limits: Limits
  /** Why the demand is unknown; undefined if it is known. */
  readonly demandWhy: string | undefined
  /** Runners that this decision starts. */
  readonly starts: number
}

/** Returns the sentence about runners that the decision does not start. */
export function heldText({ count, why }: Held, context: HeldContext): string {
  const cause = heldCause(why, context)
  if (why.is === 'demand-unknown' || why.is === 'pods-unknown') return `Starts and ends nothing: ${cause}`
  if (count === undefined) return `Starts nothing: ${cause}`
  const rest = context.starts > 0 ? `${count} more` : counted(count, 'runner')
  return `Does not start ${rest} now: ${cause}`
}

/** Returns the cause alone, as the rest of a sentence. */
export function heldCause(why: HeldBy, { set, limits, demandWhy }: HeldContext): string {
  switch (why.is) {
    case 'paused':
      return 'the set is paused (dayfly drain --resume).'
    case 'demand-unknown':
      return `the demand is not known.${demandWhy === undefined ? '' : ` ${demandWhy}`}`
    case 'pods-unknown':
      return 'the pods of the set are not known.'
    case 'template-unchecked':
      return 'it checks the template first.'
    case 'template-refused':
    case 'blocked':
      return failureText(why.failure)
    case 'forge-limit':
      return 'the forge allows no further registration yet.'
    case 'registration-failed':
      return 'the last registration failed, and it waits before it tries again.'
    case 'max':
      return `max is ${set.scale.max}, and ${counted(why.occupied, 'pod')} ${why.occupied === 1 ? 'exists' : 'exist'}.`
    case 'pool':
      return `the pool ${why.pool} has ${counted(why.max, 'place')}, this set has ${why.occupied}, and the other sets have or keep ${why.others}.`
    case 'pool-unknown':
      return `the pods of another set of the pool ${why.pool} are not known.`
    case 'quota':
      return `${roomText(why)}.`
    case 'failed-starts':
      return `it waits after ${counted(why.failures, 'failed start')}.`
    case 'probe':
      return why.unproved > 0
        ? `${why.failures} starts in a row failed, and the one runner that tries has not come online.`
        : `${why.failures} starts in a row failed, so one runner at a time tries.`
    case 'caution':
      return `the API server refused pods before (${why.failure.reason}), so few at a time try.`
    case 'spares-leave':
      return `${why.runners} idle runners left by themselves, so one spare at a time tries, after a wait.`
    case 'starts-per-tick':
      return `it starts at most ${limits.startsPerTick} at once.`
    default:
      return unreachable(why)
  }
}

function failureText({ reason, message }: Failure): string {
  const { sentence, next } = failureInfo(reason)
  return `${reason}: ${sentence} ${message} Next: ${next}`
}
