// Decides about the pod of a job: it belongs to its runner, and ends with it.
import type { Instant } from '@dayfly/kit/clock'
import type { LastingFailure } from '../model/failure.ts'
import type { JobPod, JobRunner } from '../model/job-pod.ts'
import { startDeadline } from './life.ts'

/** `adopt`: the runner's pod becomes its owner, so that the garbage collector removes it even if Dayfly is gone. */
export type JobPodStep = 'adopt' | 'remove' | 'none'

/** A runner removes the pod of its job before it ends. Nobody else removes one that is left after that. A pod with another owner, such as a Job, ends with that one. */
export function jobPodStep({ owners, isDeleting }: JobPod, { pod, isGone }: JobRunner): JobPodStep {
  if (isDeleting) return 'none'
  if (!pod) return isGone && owners.length === 0 ? 'remove' : 'none'
  if (pod.end) return 'remove'
  return owners.length === 0 ? 'adopt' : 'none'
}

/** Returns the failure of the pod, and when it is shown: a cause may pass by itself, and has the time that the start of a runner has. */
export function failureOfJobPod(
  pod: JobPod,
  startMaxMs: number,
): { readonly failure: LastingFailure; readonly dueAt: Instant } | undefined {
  const { endFailure, startCause } = pod
  if (endFailure) return { failure: endFailure, dueAt: endFailure.since }
  if (!startCause) return undefined
  const { step, reason, message, since } = startCause
  return {
    failure: { reason: step?.late ?? reason, message, since },
    dueAt: startDeadline(startCause, pod, startMaxMs),
  }
}
