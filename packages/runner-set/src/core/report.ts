// The status of a set: conditions in Kubernetes' conventions, counts that are true or unknown, the last reason.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { type Failure, failureInfo } from '../model/failure.ts'
import type { Condition, SetStatus } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { shownDemand } from './desired.ts'
import type { Moment } from './moment.ts'
import { freshDemand } from './need.ts'
import { isPaused } from './paused.ts'
import { waitsForForgeUntil } from './starts.ts'
import { recentFailures } from './state/history.ts'

/** A condition without its times. */
type Untimed = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Returns the status to write. It changes only if what it shows changes. */
export function statusOf(moment: Moment): SetStatus {
  const { world, limits, now } = moment
  const counts = world.counts.known ? world.counts.value : undefined
  const demand = freshDemand(world, limits, now)
  const demandKnown = demand !== undefined
  const failures = recentFailures(world.history, limits, now)
  const reason = shownFailure(world)
  const pollSeconds = pollSecondsOf(world, demandKnown)
  return {
    observedGeneration: world.set.generation,
    demand: demand ? shownDemand(demand.value) : null,
    idle: counts?.idle ?? null,
    busy: counts?.busy ?? null,
    pending: counts?.starting ?? null,
    failed: counts ? failures : null,
    lateJobs: world.lateJobs,
    pollSeconds,
    lastReason: reason?.reason ?? null,
    lastMessage: reason ? reason.message : null,
    jobs: world.jobs,
    conditions: conditionsOf(moment, demandKnown, failures, pollSeconds).map((condition) =>
      withTimes(world, condition, now),
    ),
  }
}

/** A failure of the whole set comes before a failure of one runner. */
function shownFailure(world: SetWorld): Failure | undefined {
  if (world.template?.is === 'refused') return world.template.failure
  return world.history.blocked ?? world.forgeFailure ?? world.history.last
}

function withTimes({ set, conditions }: SetWorld, condition: Untimed, now: Instant): Condition {
  const before = conditions.find(({ type }) => type === condition.type)
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestamp(now)
  const { type, status, reason, message } = condition
  return { type, status, reason, message, observedGeneration: set.generation, lastTransitionTime }
}

/** The reason of `Ready` while runners wait for the limit of the forge. */
export const limited = 'WaitingForForgeLimit'

function conditionsOf(
  moment: Moment,
  demandKnown: boolean,
  failures: number,
  pollSeconds: number | null,
): readonly Untimed[] {
  const { world } = moment
  const template = templateCondition(world)
  const forge = forgeCondition(world, demandKnown, pollSeconds)
  const needed = isPaused(world.set) ? [template] : [template, forge]
  const blocking = needed.find((condition) => condition.status !== 'True')
  const ready = readyCondition(moment, blocking)
  return [ready, template, forge, degradedCondition(world, failures), ...progressConditions(world, ready)]
}

/** While the set is not ready, it waits either for something that may pass by itself, or for a change by the operator. */
function progressConditions({ template, forgeFailure, history }: SetWorld, ready: Untimed): readonly Untimed[] {
  if (ready.status === 'True') return []
  const failure = template?.is === 'refused' ? template.failure : (forgeFailure ?? history.blocked)
  const stalled = ready.status === 'False' && failure && failureInfo(failure.reason).retry.is === 'never'
  return [{ ...ready, type: stalled ? 'Stalled' : 'Reconciling', status: 'True' }]
}

function readyCondition(moment: Moment, blocking: Untimed | undefined): Untimed {
  const { history, set } = moment.world
  if (blocking) return { type: 'Ready', status: blocking.status, reason: blocking.reason, message: blocking.message }
  if (history.blocked) return failing('Ready', 'False', history.blocked)
  if (isPaused(set)) {
    const message = 'The set is paused: no runner starts, idle runners are removed, and busy runners finish.'
    return { type: 'Ready', status: 'True', reason: 'Paused', message }
  }
  const until = waitsForForgeUntil(moment)
  if (until !== undefined) {
    const message = `Runners wait for the limit of the forge, which allows the next registration at ${timestamp(until)}.`
    return { type: 'Ready', status: 'True', reason: limited, message }
  }
  return { type: 'Ready', status: 'True', reason: 'Ready', message: 'Runners start when jobs ask for them.' }
}

function templateCondition({ template, templateHash }: SetWorld): Untimed {
  const type = 'TemplateAccepted'
  if (template?.hash !== templateHash) {
    return { type, status: 'Unknown', reason: 'Checking', message: 'Dayfly checks the template.' }
  }
  if (template.is === 'refused') return failing(type, 'False', template.failure)
  const message = 'The API server accepts the template.'
  if (template.warnings.length === 0) return { type, status: 'True', reason: 'Accepted', message }
  return {
    type,
    status: 'True',
    reason: 'AcceptedWithWarnings',
    message: [message, ...template.warnings.map((warning) => `Warning: ${sentenceOf(warning)}`)].join(' '),
  }
}

function forgeCondition({ forgeFailure, set }: SetWorld, demandKnown: boolean, pollSeconds: number | null): Untimed {
  const type = 'ForgeConnected'
  if (forgeFailure)
    return failing(type, forgeFailure.reason === 'forge-unreachable' ? 'Unknown' : 'False', forgeFailure)
  if (isPaused(set)) {
    return { type, status: 'Unknown', reason: 'Paused', message: 'A paused set does not ask the forge for its demand.' }
  }
  if (demandKnown) {
    const polled = pollSeconds === null ? '' : ` Dayfly asks it every ${pollSeconds} s.`
    return { type, status: 'True', reason: 'Connected', message: `The forge reports its demand.${polled}` }
  }
  return { type, status: 'Unknown', reason: 'Connecting', message: 'The forge has not reported its demand yet.' }
}

/** The time between two polls follows the calls that are left. It is shown in steps, so that the status is not written for each second. */
function pollSecondsOf({ forgeFailure, set, allowance }: SetWorld, demandKnown: boolean): number | null {
  if (allowance.pollMs === undefined || forgeFailure || isPaused(set) || !demandKnown) return null
  return Math.ceil(allowance.pollMs / pollStepMs) * (pollStepMs / 1_000)
}

const pollStepMs = 10_000

/** Everything that is wrong now, most urgent first. Its reason is the first one's. */
function degradedCondition({ history, delays, stuck, settingsFailure }: SetWorld, failures: number): Untimed {
  const problems: Failure[] = []
  if (history.blocked) problems.push(history.blocked)
  if (settingsFailure) problems.push(settingsFailure)
  if (stuck) {
    const { reason, message } = stuck.oldest
    problems.push({ reason, message: `${count(stuck.count, 'pod')} no longer counted against max. ${message}` })
  }
  if (delays) {
    const { oldest } = delays
    const waiting = `${count(delays.count, 'runner')} held up, the first since ${timestamp(oldest.since)}.`
    problems.push({ reason: oldest.reason, message: `${waiting} ${oldest.message}` })
  }
  if (history.last && failures > 0)
    problems.push({ ...history.last, message: `${failures} in a row. ${history.last.message}` })
  const [first] = problems
  if (!first)
    return { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'No start is held up or failing.' }
  return {
    type: 'Degraded',
    status: 'True',
    reason: camelCase(first.reason),
    message: problems.map(sentenceOf).join(' '),
  }
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`
}

function failing(type: Condition['type'], status: Condition['status'], failure: Failure): Untimed {
  return { type, status, reason: camelCase(failure.reason), message: sentenceOf(failure) }
}

function sentenceOf(failure: Failure): string {
  const { sentence, next } = failureInfo(failure.reason)
  return `${sentence} ${failure.message} — ${next}`
}

/** `image-missing` as Kubernetes' conditions want it: `ImageMissing`. */
export function camelCase(reason: string): string {
  return reason.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
