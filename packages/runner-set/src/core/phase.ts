// The place of a runner in its life, derived from the facts and never stored.
import type { Phase, Runner } from '../model/runner.ts'

/** Returns the phase. It depends on nothing but its argument, so that counts by phase can be kept by increments. */
export function phaseOf(runner: Pick<Runner, 'pod' | 'registration' | 'job' | 'ending' | 'stuck'>): Phase {
  const { pod, registration, job, ending, stuck } = runner
  if (pod.is === 'requested') return 'starting'
  if (pod.value.end) return 'ended'
  if (ending || stuck) return 'spent'
  if (job) return job.finished ? 'spent' : 'busy'
  if (registration.is === 'present' && registration.value.busy === true) return 'busy'
  if (registration.is === 'present' && registration.value.isCordoned === true) return 'spent'
  if (pod.value.deletionDeadline !== undefined) return 'spent'
  return pod.value.startedAt === undefined || isAwaited(registration) ? 'starting' : 'idle'
}

/** The forge reports that it has not seen the runner online. */
function isAwaited(registration: Runner['registration']): boolean {
  return registration.is === 'present' && registration.value.status === 'offline'
}

/** Returns whether the forge has seen the runner at work: its start is a success. */
export function isSeenOnline({ registration, job }: Pick<Runner, 'registration' | 'job'>): boolean {
  if (job) return true
  return registration.is === 'present' && (registration.value.status === 'online' || registration.value.busy === true)
}

/** Returns whether the start of the runner may still fail. */
export function isUnproved(runner: Pick<Runner, 'pod' | 'registration' | 'job' | 'ending' | 'stuck'>): boolean {
  const phase = phaseOf(runner)
  return phase === 'starting' || (phase === 'idle' && !isSeenOnline(runner))
}

/** Returns whether the runner counts against `max`: until its pod is gone, has no running container, or is proved stuck. */
export function occupies({ pod, stuck }: Pick<Runner, 'pod' | 'stuck'>): boolean {
  return !stuck && !(pod.is === 'present' && pod.value.finished)
}
