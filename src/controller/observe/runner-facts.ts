// How facts of a runner come to be and change.
import type { Instant } from '../../lib/clock.ts'
import type { PodFacts, Registration, Runner } from '../../model/runner.ts'

/** A runner of which nothing but the name is known. */
export function blankRunner(name: string, at: Instant): Runner {
  return {
    name,
    pod: { is: 'unknown', since: at },
    registration: { is: 'unknown', since: at },
    registrationMissingSince: undefined,
    job: undefined,
    ending: false,
    explained: undefined,
    explainedAt: undefined,
  }
}

/** After a restart the pod's own annotation says which registration it was made for. */
export function withPod(runner: Runner, facts: PodFacts, at: Instant): Runner {
  const pod = { is: 'present', value: facts, at } as const
  // A deletion that was under way when we first saw the pod is taken for an earlier leader's.
  const ending = runner.ending || (runner.pod.is === 'unknown' && facts.deletionDeadline !== undefined)
  if (runner.registration.is !== 'unknown' || facts.registrationId === undefined) return { ...runner, pod, ending }
  const value: Registration = { id: facts.registrationId, name: runner.name, status: 'unknown', busy: 'unknown' }
  return { ...runner, pod, ending, registration: { is: 'present', value, at } }
}

/** What a complete answer of the forge, asked for at `askedAt`, says of a runner. */
export function withListedRegistration(runner: Runner, listed: Registration | undefined, askedAt: Instant): Runner {
  if (listed) {
    const registration = { is: 'present', value: listed, at: askedAt } as const
    return { ...runner, registration, registrationMissingSince: undefined }
  }
  const known = runner.registration
  if (known.is === 'unknown' || known.at > askedAt) return runner
  const registrationMissingSince = runner.registrationMissingSince ?? askedAt
  return { ...runner, registration: { is: 'absent', at: askedAt }, registrationMissingSince }
}

/** Whether the forge has dropped the registration by itself: it does so after a job that the runner brought to its end. */
export function droppedByForge(runner: Runner): boolean {
  const ended = runner.pod.is === 'present' ? runner.pod.value.end : undefined
  return runner.job !== undefined && (runner.job.finished !== undefined || ended?.exitCode === 0)
}
