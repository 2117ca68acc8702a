// How facts change one runner. Every function returns a new runner and changes nothing else.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeTraits } from '../../model/forges/traits.ts'
import type { DeregisterAnswer, Ending, JobRef, PodFacts, Registration, Runner } from '../../model/runner.ts'

/** A runner of which only the name is known. */
export function requestedRunner(name: string, at: Instant): Runner {
  return {
    name,
    pod: { is: 'requested', since: at },
    registration: { is: 'unknown', since: at },
    registrationMissingSince: undefined,
    job: undefined,
    ending: undefined,
    cordonRetry: undefined,
    deleted: false,
    broken: undefined,
    secret: 'written',
    lookUp: undefined,
    explained: undefined,
    explainedAt: undefined,
    delay: undefined,
    stuck: undefined,
    outdated: false,
  }
}

/** A pod that made a step has left the causes behind that held it up before. */
const noCause = { explained: undefined, explainedAt: undefined, delay: undefined } as const

function hasProgressed({ pod }: Runner, { progressedAt, startedAt, end }: PodFacts): boolean {
  const before = pod.is === 'present' ? pod.value.progressedAt : progressedAt
  return progressedAt > before || startedAt !== undefined || end !== undefined
}

export function withPod(runner: Runner, facts: PodFacts, at: Instant): Runner {
  const pod = { is: 'present', value: facts, at } as const
  // A deletion that was under way when we first saw the pod is an earlier leader's.
  const deleted = runner.deleted || (runner.pod.is === 'requested' && facts.deletionDeadline !== undefined)
  // A container that crashes beside a running runner holds no start up, and stays shown while it crashes.
  const lasts = facts.helperCrash && runner.delay?.reason === facts.helperCrash.reason
  const next: Runner = { ...runner, pod, deleted, ...(hasProgressed(runner, facts) && !lasts ? noCause : {}) }
  if (runner.registration.is !== 'unknown' || facts.registrationId === undefined) return next
  // After a restart, the pod's own annotation names its registration.
  const value: Registration = { id: facts.registrationId, name: runner.name, status: 'unknown', busy: 'unknown' }
  return { ...next, registration: { is: 'present', value, at } }
}

/** The response to the POST of the pod was lost, and with it the moment to create the Secret. A pod that exists must end; otherwise it is looked up. */
export function withLostAnswer(runner: Runner): Runner {
  if (runner.pod.is === 'requested') return { ...runner, lookUp: { failures: 0, retryAt: undefined } }
  const message = 'the response to the creation of the pod was lost'
  return { ...runner, lookUp: undefined, broken: { reason: 'api-unavailable', message } }
}

/** When a complete list was requested, and when it arrived. */
export type ListTimes = { readonly askedAt: Instant; readonly at: Instant }

/** Returns whether a fact is newer than a list. A fact that is dated after the arrival of the list is from before the clock was set back, so it is older. */
export function isNewer(factAt: Instant, { askedAt, at }: ListTimes): boolean {
  return factAt > askedAt && factAt <= at
}

/** Applies a complete list of the forge. @param listed the runner's entry, if the list has one */
export function withListedRegistration(runner: Runner, listed: Registration | undefined, times: ListTimes): Runner {
  const known = runner.registration
  const { askedAt } = times
  if (listed) {
    // A list that was requested before a cordon, or before the forge's last answer, knows less.
    if (known.is === 'present' && isNewer(known.at, times)) return runner
    const registration = { is: 'present', value: listed, at: askedAt } as const
    return { ...runner, registration, registrationMissingSince: undefined, ending: askedAgain(runner.ending) }
  }
  if (known.is === 'unknown' || isNewer(known.at, times)) return runner
  const registrationMissingSince = runner.registrationMissingSince ?? askedAt
  return { ...runner, registration: { is: 'absent', at: askedAt }, registrationMissingSince }
}

/** A later list refutes the answer that the registration was absent: the forge is asked again. */
function askedAgain(ending: Ending | undefined): Ending | undefined {
  return ending?.answer === 'absent' ? { ...ending, answer: 'unasked', retryAt: undefined } : ending
}

/** Applies the forge's answer to a deregistration. A busy runner lives on, unless the operator's bound ends it. */
export function withAnswer(runner: Runner, answer: DeregisterAnswer, at: Instant): Runner {
  const { ending, registration } = runner
  const answered = ending ? { ...ending, answer, failures: 0, retryAt: undefined } : undefined
  if (answer === 'removed') {
    // The report of a job may have called the end off. The removal proves that this job is over, and that no other one comes.
    const proved = answered ?? { because: { kind: 'spent' }, answer, failures: 0, retryAt: undefined }
    return { ...runner, ending: proved, registration: { is: 'absent', at } }
  }
  if (registration.is !== 'present') return { ...runner, ending: answered }
  if (answer === 'absent') return { ...runner, ending: answered, registration: { ...registration, at } }
  if (answer !== 'busy') return { ...runner, ending: answered }
  const value = { ...registration.value, busy: true }
  const goesOn = ending?.because.kind === 'life-exceeded' || ending?.because.kind === 'spent'
  return { ...runner, ending: goesOn ? answered : undefined, registration: { is: 'present', value, at } }
}

/** A job was announced: an end that needed an idle runner is off. */
export function withJob(runner: Runner, job: JobRef): Runner {
  const ending = runner.ending?.because.kind === 'life-exceeded' || runner.deleted ? runner.ending : undefined
  return { ...runner, job, ending }
}

/** The forge gives the runner no further job. */
export function withCordon(runner: Runner, at: Instant): Runner {
  const { registration } = runner
  if (registration.is !== 'present') return { ...runner, cordonRetry: undefined }
  const value = { ...registration.value, isCordoned: true }
  return { ...runner, cordonRetry: undefined, registration: { is: 'present', value, at } }
}

/** Returns whether the forge has dropped the registration by itself. GitHub does so after a job that the runner brought to its end. */
export function isDroppedByForge({ job, pod }: Runner, { ephemeral }: ForgeTraits): boolean {
  if (ephemeral !== 'by-itself') return false
  const exitCode = pod.is === 'present' ? pod.value.end?.exitCode : undefined
  return job !== undefined && (job.finished !== undefined || exitCode === 0)
}
