// The answers to calls: carried out, refused or lost, and how long the longest one needs.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { Outcome, Unsuccessful } from '@dayfly/runner-set/model/outcome'
import type { CallFate } from './weather.ts'

/** A refusing server asks for this wait. */
const retryMs = 2_000
/** The time for one entry of a list: ten thousand need a second. */
const entryMs = 0.1

/** Carries a call out, unless its request is refused or lost. Returns the answer, or why there is no usable one. */
export function carriedOut<Done>(
  fate: CallFate,
  carryOut: () => Done,
  { failure, now }: { readonly failure: Failure; readonly now: Instant },
): Done | Unsuccessful {
  switch (fate) {
    case 'answered':
      return carryOut()
    case 'refused':
      return { is: 'refused', failure, retryAt: now + retryMs }
    case 'lost-before':
      return { is: 'lost-answer', failure, retryAt: undefined }
    case 'lost-after':
      carryOut()
      return { is: 'lost-answer', failure, retryAt: undefined }
  }
}

/** A long list needs its time, and shows what was true when it was asked for. */
export function listedMs(outcome: Outcome): number {
  if (outcome.action !== 'list-registrations' || outcome.result.is !== 'listed') return 0
  return outcome.result.registrations.length * entryMs
}
