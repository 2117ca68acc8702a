// Where a runner stands in its life: derived from the facts, never stored.
import type { Phase, Runner } from '../model/runner.ts'

/** Depends on nothing but its argument, so that counts by phase can be kept by increments. */
export function phaseOf(runner: Pick<Runner, 'pod' | 'registration' | 'job'>): Phase {
  const { pod, registration, job } = runner
  if (pod.is === 'unknown') return 'starting'
  if (pod.is === 'absent') return 'lost'
  if (pod.value.end) return 'ended'
  if (job && !job.finished) return 'busy'
  if (registration.is === 'present' && registration.value.busy === true) return 'busy'
  if (job || pod.value.deletionDeadline !== undefined) return 'spent'
  return pod.value.startedAt === undefined ? 'starting' : 'idle'
}
