// The end of a runner, step by step: deregister if it may live, then delete. may-end.ts says which step comes next.
import type { EndCause } from '../model/end-cause.ts'
import type { Limits } from '../model/limits.ts'
import type { DeregisterAnswer, Ending, PodFacts, Runner } from '../model/runner.ts'
import { type ContainerState, mayEnd } from './may-end.ts'
import type { LifeDecision, Moment } from './moment.ts'

/** Returns whether two complete lists, far enough apart, lack the registration of a runner. */
export function isGhost({ registration, registrationMissingSince: since }: Runner, limits: Limits): boolean {
  return registration.is === 'absent' && since !== undefined && registration.at >= since + limits.ghostMs
}

/** Goes on with an end that has begun. */
export function continueEnd(moment: Moment, runner: Runner, pod: PodFacts, ending: Ending): LifeDecision {
  const { limits, now } = moment
  // With the proof of a ghost, a runner that the forge does not know may end for that cause.
  const proved = isGhost(runner, limits) && ending.because.kind !== 'life-exceeded'
  const because: EndCause = proved ? { kind: 'ghost' } : ending.because
  // A new proof does not wait for the repetition of an earlier refusal. A deletion that failed with it does.
  const waits = !proved || ending.because.kind === 'ghost'
  if (waits && ending.retryAt !== undefined && now < ending.retryAt) return { due: ending.retryAt }
  return endStep(moment, runner, pod, because)
}

/** Returns the next step of an end, also of one that begins. */
export function endStep(moment: Moment, runner: Runner, pod: PodFacts, because: EndCause): LifeDecision {
  const { name, registration, ending } = runner
  const container = containerOf(pod)
  const verdict = mayEnd(because.kind, answerOf(runner), container)
  switch (verdict) {
    case 'end': {
      // A pod that had not started at this decision is deleted only in that state, unless no job can reach it any more.
      const certain = container !== 'waiting' || ending?.answer === 'removed' || because.kind === 'life-exceeded'
      const resourceVersion = certain ? undefined : pod.resourceVersion
      return { action: { kind: 'delete-runner', runner: name, pod: { uid: pod.uid, resourceVersion }, because } }
    }
    case 'ask':
    case 'retry':
      if (registration.is === 'present' && ending?.answer !== 'absent') {
        return { action: { kind: 'deregister-runner', runner: name, registration: registration.value, because } }
      }
      // The forge does not know it: the lists of registrations must prove that.
      return askRegistrations(moment, moment.limits.listRegistrationsMs)
    default:
      return {}
  }
}

/** Asks for a new list of registrations, at most once in `everyMs`.
 *  @param since counts like a list: the next one is needed `everyMs` later */
export function askRegistrations({ world, now }: Moment, everyMs: number, since = 0): LifeDecision {
  const askAt = Math.max(since, world.registrationsAt ?? 0) + everyMs
  return now >= askAt ? { asksRegistrations: true, due: now + everyMs } : { due: askAt }
}

/** A runner without a registration gets the answer that the forge would give. A removal whose response was lost may have been carried out. */
function answerOf({ registration, ending }: Runner): DeregisterAnswer {
  const answer = ending?.answer ?? 'unasked'
  if (answer === 'unasked' && registration.is !== 'present') return 'absent'
  return answer === 'refused' && registration.is === 'absent' ? 'absent' : answer
}

function containerOf({ end, startedAt }: PodFacts): ContainerState {
  if (end) return 'ended'
  return startedAt === undefined ? 'waiting' : 'running'
}
