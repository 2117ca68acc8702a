// The status of a set: conditions in Kubernetes' conventions, counts that are true or unknown, the last reason.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { type Failure, type FailureReason, failureInfo } from '../model/failure.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { Condition, SetProblem, SetStatus } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { shownDemand } from './desired.ts'
import { earliestAfter } from './earliest.ts'
import { failureOfLate, lateUntil } from './late-events.ts'
import type { Moment } from './moment.ts'
import { freshDemand } from './need.ts'
import { isPaused } from './paused.ts'
import { fullQuota, problemsOf } from './problems.ts'
import {
  judgeVersion,
  type VersionVerdict,
  verdictChangesAt,
  versionFailure,
  versionStatus,
  versionText,
} from './runner-version.ts'
import { minimumText } from './schedule.ts'
import { waitsFor } from './starts.ts'
import { failureOfLeft, failuresUntil, leftUntil, recentFailures } from './state/history.ts'
import { failureOfUnassigned, unassignedShownAt } from './unassigned.ts'
import { usualText } from './usual-demand.ts'

/** A condition without its times. */
type Untimed = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Returns the status to write. It changes only if what it shows changes. */
export function statusOf(moment: Moment): SetStatus {
  const { world, limits, now } = moment
  const counts = world.counts.known ? world.counts.value : undefined
  const demand = freshDemand(world, limits, now)
  const demandKnown = demand !== undefined
  const failures = recentFailures(world.history, limits, now)
  const left = failureOfLeft(world.history, limits, now)
  const version = versionFailure(world.runnerVersion, judgeVersion(world.runnerVersion, limits, now))
  // While events are late, it is not known whether runners got jobs.
  const assignment = failureOfLate(world.late, limits, now) ?? failureOfUnassigned(world, limits, now)
  const full = fullQuota(world)
  const problems = problemsOf(world, { failures, left, version, assignment, full })
  const reason = shownFailure(moment, problems, assignment ?? endedVersion(version) ?? full)
  const pollSeconds = pollSecondsOf(world, demandKnown)
  return {
    observedGeneration: world.set.generation,
    demand: (demand && shownDemand(demand.value, counts?.busy)) ?? null,
    idle: counts?.idle ?? null,
    busy: counts?.busy ?? null,
    pending: counts?.starting ?? null,
    failed: counts ? failures : null,
    lateJobs: world.lateJobs,
    pollSeconds,
    min: world.minimum.min,
    minReason: minimumText(world.minimum) ?? null,
    usual: world.usual?.runners ?? null,
    usualReason: (world.usual && usualText(world.usual)) ?? null,
    demandDays: world.usual ? world.demandDays : null,
    ...announcedStatus(world, demandKnown),
    runnerVersion: versionStatus(world.set, world.runnerVersion),
    lastReason: reason?.reason ?? null,
    lastMessage: reason ? reason.message : null,
    problems,
    unserved: world.unserved ?? null,
    jobs: world.jobs,
    rerun: world.reruns.stored,
    conditions: conditionsOf(moment, problems, demandKnown, pollSeconds).map((condition) =>
      withTimes(world, condition, now),
    ),
  }
}

/** A set announces something only while its forge reports to it. */
function announcedStatus({ set, capacity: { announced, limit } }: SetWorld, demandKnown: boolean) {
  const announces = forgeTraits[set.source.kind].announcesCapacity && demandKnown && !isPaused(set)
  return {
    announced: announces ? announced : null,
    announcedReason: (announces && limit?.reason) || null,
    announcedDetail: (announces && limit?.detail) || null,
  }
}

/** A failure of the whole set comes before a failure of one runner. If nothing is wrong any more, the last failure is shown for a minute. */
function shownFailure(
  moment: Moment,
  problems: readonly SetProblem[],
  ofSet: Failure | undefined,
): Failure | undefined {
  const { template, history, forgeFailure } = moment.world
  if (template?.is === 'refused') return template.failure
  const isShown = problems.length > 0 || lastReasonUntil(moment) !== undefined
  return history.blocked ?? forgeFailure ?? ofSet ?? (isShown ? history.last : undefined)
}

/** A version that only ends soon is no reason for anything yet. */
function endedVersion(version: Failure | undefined): Failure | undefined {
  return version && !failureInfo(version.reason).ahead ? version : undefined
}

/** Returns until when the last failure is shown although nothing is wrong any more; undefined if it is not. */
function lastReasonUntil({ world, limits, now }: Moment): Instant | undefined {
  const until = world.history.last && world.history.last.at + limits.lastReasonMs
  return until !== undefined && now < until ? until : undefined
}

/** Returns when the status may change although nothing happens; undefined if it cannot. */
export function statusChangesAt(moment: Moment): Instant | undefined {
  const { world, limits, now } = moment
  const { history, late, unassigned } = world
  return earliestAfter(now, [
    lastReasonUntil(moment),
    unassigned && unassignedShownAt(unassigned, limits),
    late && lateUntil(late, limits),
    history.left.runners > limits.leftIdleMax ? leftUntil(history, limits) : undefined,
    history.failuresInARow > 0 ? failuresUntil(history, limits) : undefined,
    verdictChangesAt(world.runnerVersion, limits, now),
  ])
}

function withTimes({ set, conditions }: SetWorld, condition: Untimed, now: Instant): Condition {
  const before = conditions.find(({ type }) => type === condition.type)
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestamp(now)
  const { type, status, reason, message } = condition
  return { type, status, reason, message, observedGeneration: set.generation, lastTransitionTime }
}

/** The reason of `Ready` while runners wait for the limit of the forge. */
export const limited = 'WaitingForForgeLimit'

type Found = (kind: SetProblem['kind']) => SetProblem | undefined

function conditionsOf(
  moment: Moment,
  problems: readonly SetProblem[],
  demandKnown: boolean,
  pollSeconds: number | null,
): readonly Untimed[] {
  const { world } = moment
  const found: Found = (kind) => problems.find((problem) => problem.kind === kind)
  const template = templateCondition(world, found)
  const forge = forgeCondition(world, found, demandKnown, pollSeconds)
  const needed = isPaused(world.set) ? [template] : [template, forge]
  const blocking = needed.find((condition) => condition.status !== 'True')
  const ready = readyCondition(moment, found, blocking)
  const progress = ready.status === 'True' ? [] : [progressCondition(ready, found)]
  return [ready, template, forge, ...versionConditions(moment, found), degradedCondition(problems), ...progress]
}

/** While the set is not ready, it waits either for something that may pass by itself, or for a change by the operator. */
function progressCondition(ready: Untimed, found: Found): Untimed {
  const problem = found('template') ?? found('forge') ?? found('blocked')
  const stalled = ready.status === 'False' && problem && failureInfo(problem.reason).retry.is === 'never'
  return { ...ready, type: stalled ? 'Stalled' : 'Reconciling', status: 'True' }
}

function readyCondition(moment: Moment, found: Found, blocking: Untimed | undefined): Untimed {
  if (blocking) return { type: 'Ready', status: blocking.status, reason: blocking.reason, message: blocking.message }
  const blocked = found('blocked')
  if (blocked) return failing('Ready', 'False', blocked)
  const { world, limits, now } = moment
  const failed = recentFailures(world.history, limits, now) >= limits.failuresBeforeProbe ? found('failing') : undefined
  if (failed) return failing('Ready', 'False', failed)
  if (isPaused(world.set)) {
    const message = 'The set is paused: no runner starts, idle runners are removed, and busy runners finish.'
    return { type: 'Ready', status: 'True', reason: 'Paused', message }
  }
  const waits = waitingCondition(moment)
  if (waits) return waits
  if (isUnproven(moment)) {
    const message = `No runner of this template has come online yet.${stepText(world)}`
    return { type: 'Ready', status: 'Unknown', reason: 'Starting', message }
  }
  const message = `Runners start when jobs ask for them.${stepText(world)}`
  return { type: 'Ready', status: 'True', reason: 'Ready', message }
}

/** A limit of the forge and a full pool are states, and no failures: nothing is wrong with the set. */
function waitingCondition(moment: Moment): Untimed | undefined {
  const why = waitsFor(moment)
  if (why?.is === 'forge-limit' && why.until !== undefined) {
    const message = `Runners wait for the limit of the forge, which allows the next registration at ${timestamp(why.until)}.`
    return { type: 'Ready', status: 'True', reason: limited, message }
  }
  if (why?.is !== 'pool' || moment.world.need?.living !== 0) return undefined
  const message = `Runners wait for one of the ${why.max} places of the pool ${why.pool}. The other sets have them, or keep them free.`
  return { type: 'Ready', status: 'True', reason: 'WaitingForPool', message }
}

/** A set that needs no runner and has none shows no doubt: not before the first one, nor after one that ended early and without a failure. */
function isUnproven({ world: { history, need }, limits, now }: Moment): boolean {
  const { proof } = history
  if (proof === 'untried') return need !== undefined && need.missing > 0
  const rests = need?.living === 0 && need.missing <= 0 && recentFailures(history, limits, now) === 0
  return proof === 'tried' && !rests
}

function stepText({ underWay }: SetWorld): string {
  if (!underWay) return ''
  const { count, oldest } = underWay
  const starts = count === 1 ? '1 start is' : `${count} starts are`
  return ` ${starts} under way: ${oldest.message} since ${timestamp(oldest.since)}.`
}

function templateCondition({ template, templateHash }: SetWorld, found: Found): Untimed {
  const type = 'TemplateAccepted'
  const refused = found('template')
  if (refused) return failing(type, 'False', refused)
  if (template?.is !== 'accepted' || template.hash !== templateHash) {
    return { type, status: 'Unknown', reason: 'Checking', message: 'Dayfly checks the template.' }
  }
  const message = 'The API server accepts the template.'
  if (template.warnings.length === 0) return { type, status: 'True', reason: 'Accepted', message }
  const warnings = template.warnings.map((warning) => `Warning: ${sentenceOf(warning.reason, warning.message)}`)
  return { type, status: 'True', reason: 'AcceptedWithWarnings', message: [message, ...warnings].join(' ') }
}

function forgeCondition({ set }: SetWorld, found: Found, demandKnown: boolean, pollSeconds: number | null): Untimed {
  const type = 'ForgeConnected'
  const failed = found('forge')
  if (failed) return failing(type, failed.reason === 'forge-unreachable' ? 'Unknown' : 'False', failed)
  if (isPaused(set)) {
    return { type, status: 'Unknown', reason: 'Paused', message: 'A paused set does not ask the forge for its demand.' }
  }
  if (demandKnown) {
    const polled = pollSeconds === null ? '' : ` Dayfly asks it every ${pollSeconds} s.`
    const message = [`The forge reports its demand.${polled}`, ...clearTextWarnings(set)].join(' ')
    return { type, status: 'True', reason: 'Connected', message }
  }
  return { type, status: 'Unknown', reason: 'Connecting', message: 'The forge has not reported its demand yet.' }
}

function clearTextWarnings({ source: { plainHttp, proxy }, network }: SetWorld['set']): readonly string[] {
  const warnings: string[] = []
  if (plainHttp) warnings.push('Warning: the credential of the forge goes over the network in clear text (plainHttp).')
  const inClearText = (one: typeof proxy) => one?.credentialsSecret !== undefined && /^http:/i.test(one.url)
  if (inClearText(proxy) || inClearText(network.proxy)) {
    warnings.push('Warning: the credentials of the proxy go over the network in clear text: use a proxy with https://.')
  }
  return warnings
}

/** The time between two polls follows the calls that are left. It is shown in steps, so that the status is not written for each second. */
function pollSecondsOf({ forgeFailure, set, allowance }: SetWorld, demandKnown: boolean): number | null {
  if (allowance.pollMs === undefined || forgeFailure || isPaused(set) || !demandKnown) return null
  return Math.ceil(allowance.pollMs / pollStepMs) * (pollStepMs / 1_000)
}

const pollStepMs = 10_000

/** The version is a condition of its own, because a set with a version that ends soon works as expected. */
function versionConditions({ world, limits, now }: Moment, found: Found): readonly Untimed[] {
  if (!forgeTraits[world.set.source.kind].runner.versionsEnd) return []
  const verdict = judgeVersion(world.runnerVersion, limits, now)
  const problem = found('version')
  const message = problem ? sentenceOf(problem.reason, problem.detail) : versionText(world.runnerVersion, verdict)
  return [{ type: 'RunnerVersionSupported', ...versionWords[verdict.is], message }]
}

const versionWords: Readonly<Record<VersionVerdict['is'], Pick<Untimed, 'status' | 'reason'>>> = {
  unknown: { status: 'Unknown', reason: 'VersionUnknown' },
  unscheduled: { status: 'Unknown', reason: 'EndUnknown' },
  supported: { status: 'True', reason: 'Supported' },
  'ends-soon': { status: 'True', reason: 'EndsWithin14Days' },
  'ends-now': { status: 'True', reason: 'EndsWithin7Days' },
  ended: { status: 'False', reason: 'RunnerOutdated' },
  'below-minimum': { status: 'False', reason: 'RunnerOutdated' },
}

/** Every other problem. The reason is that of the first one. */
function degradedCondition(problems: readonly SetProblem[]): Untimed {
  const elsewhere = (problem: SetProblem) =>
    problem.kind === 'template' || problem.kind === 'forge' || failureInfo(problem.reason).ahead
  const others = problems.filter((problem) => !elsewhere(problem))
  const [first] = others
  if (!first)
    return { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'No start is held up or failing.' }
  const message = others.map(({ reason, detail }) => sentenceOf(reason, detail)).join(' ')
  return { type: 'Degraded', status: 'True', reason: camelCase(first.reason), message }
}

function failing(type: Condition['type'], status: Condition['status'], { reason, detail }: SetProblem): Untimed {
  return { type, status, reason: camelCase(reason), message: sentenceOf(reason, detail) }
}

/** Returns what happened, what was observed, and the next step. */
export function sentenceOf(reason: FailureReason, detail: string): string {
  const { sentence, next } = failureInfo(reason)
  return `${sentence} ${detail} — ${next}`
}

/** `image-missing` as Kubernetes' conditions want it: `ImageMissing`. */
export function camelCase(reason: string): string {
  return reason.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
