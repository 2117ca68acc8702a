// The text and the JSON of `dayfly status`.
import { type Column, table, wrap } from '@dayfly/command-line/table'
import { ageText } from '@dayfly/kit/age-text'
import { unservedTexts } from '@dayfly/runner-set/model/unserved-text'
import type { ControllerPods } from '../operate/controller-pods.ts'
import type { Leader } from '../operate/leader.ts'
import type { Judged, Overview } from '../operate/overview.ts'
import type { Known } from '../operate/read.ts'
import { conditionOf, type SetView } from '../operate/set-view.ts'
import { announcedOf, announcedText } from '../operate/why.ts'
import { problemLines } from './show-problems.ts'

/** `pods` is undefined if they were not read. */
export type Status = Overview & { readonly pods: Known<ControllerPods> | undefined }

const columns: readonly Column[] = [
  { title: 'NAMESPACE' },
  { title: 'SET' },
  { title: 'READY' },
  ...['DEMAND', 'IDLE', 'BUSY', 'PENDING', 'FAILED', 'MAX'].map((title): Column => ({ title, align: 'right' })),
  { title: 'LAST REASON' },
]

/** @param scope the one namespace that was read; undefined for all */
export function statusLines(overview: Status, scope: string | undefined, width: number): readonly string[] {
  const { sets, at } = overview
  const leader = [...leaderLines(overview, scope, width), ...podLines(overview, width)]
  if (sets.length === 0) return [...leader, '', noSets(scope)]
  const all = sets.map(({ view, work }) => cellsOf(view, work.is === 'working' || work.is === 'unknown'))
  const hidden = scope === undefined ? 0 : 1
  const rows = all.map((row) => row.slice(hidden))
  const failing = sets.filter(({ problems }) => problems.length > 0)
  const notes = sets.flatMap(({ view }) => [
    ...pollText(view),
    ...announcedNotes(view),
    ...lateText(view),
    ...unservedNotes(view),
  ])
  const stale = sets.some(({ work }) => work.is === 'no-leader')
  return [
    ...leader,
    '',
    ...table(columns.slice(hidden), rows, width),
    ...(stale ? ['', 'The counts in brackets are old: no controller refreshes them.'] : []),
    ...(notes.length > 0 ? ['', ...notes.flatMap((text) => wrap(text, '', width))] : []),
    ...failing.flatMap((judged) => ['', ...setLines(judged, at, width)]),
  ]
}

/** Only a forge that reports nothing by itself is asked. */
function pollText({ namespace, name, pollSeconds }: SetView): readonly string[] {
  return pollSeconds === undefined
    ? []
    : [`${namespace}/${name}: the controller asks the forge every ${pollSeconds} s.`]
}

/** Fewer than the maximum are announced while the cluster can take no more. */
function announcedNotes(view: SetView): readonly string[] {
  const announced = announcedOf(view)
  return announced === undefined || view.max === undefined
    ? []
    : [`${view.namespace}/${view.name}: ${announcedText(announced, view.max)}`]
}

/** Only a forge that does not end its runners after one job has late jobs. */
function lateText({ namespace, name, lateJobs = 0 }: SetView): readonly string[] {
  if (lateJobs === 0) return []
  const jobs = lateJobs === 1 ? '1 job' : `${lateJobs} jobs`
  return [`${namespace}/${name}: ${jobs} began on a runner that had run one, because its cordon came too late.`]
}

/** One set of an account shows the jobs that no set has. */
function unservedNotes({ namespace, name, unserved }: SetView): readonly string[] {
  return unserved === undefined ? [] : unservedTexts(unserved).map((text) => `${namespace}/${name}: ${text}`)
}

function noSets(scope: string | undefined): string {
  return scope === undefined
    ? 'There is no RunnerSet in this cluster.'
    : `There is no RunnerSet in the namespace ${scope}; -A shows all namespaces.`
}

function cellsOf(view: SetView, fresh: boolean): readonly string[] {
  const { namespace, name, demand, idle, busy, pending, failed, max, lastReason } = view
  const count = (value: number | undefined) => (value === undefined ? '?' : fresh ? String(value) : `(${value})`)
  return [
    namespace,
    name,
    readyWord(view, fresh),
    ...[demand, idle, busy, pending, failed].map(count),
    max === undefined ? '?' : String(max),
    lastReason ?? '',
  ]
}

/** Unknown is shown as such: a set that no controller works on may have been ready. */
function readyWord(view: SetView, fresh: boolean): string {
  if (view.deleting) return 'deleting'
  if (view.specErrors.length > 0) return 'no'
  const status = conditionOf(view, 'Ready')?.status
  if (!fresh || status === undefined || status === 'Unknown') return '?'
  if (view.paused) return 'paused'
  return status === 'True' ? 'yes' : 'no'
}

function setLines({ view, problems }: Judged, _at: number, width: number): readonly string[] {
  return [`${view.namespace}/${view.name}`, ...problemLines(problems, width)]
}

function leaderLines({ leaders, at }: Overview, scope: string | undefined, width: number): readonly string[] {
  if (!leaders.known) return wrap(`not known: ${leaders.why}`, 'Leader: ', width)
  const leading = leaders.value.filter(({ is }) => is === 'leading')
  if (leading.length > 0) return leading.flatMap((leader) => wrap(leaderSentence(leader, at), 'Leader: ', width))
  const [first] = leaders.value
  const none = `none, and there is no Lease of Dayfly${scope === undefined ? '' : ' for this namespace'}`
  return wrap(first ? leaderSentence(first, at) : none, 'Leader: ', width)
}

function podLines({ pods }: Status, width: number): readonly string[] {
  if (!pods) return []
  if (!pods.known) return wrap(`not known: ${pods.why}`, 'Controller: ', width)
  const { sentence, next } = pods.value
  return [...wrap(sentence, 'Controller: ', width), ...wrap(next, '  next: ', width)]
}

function leaderSentence({ is, holder, lease, renewedAt, acquiredAt }: Leader, now: number): string {
  const place = `Lease ${lease.namespace}/${lease.name}`
  const renewed = renewedAt === undefined ? 'never renewed' : `renewed ${ageText(now - renewedAt)} ago`
  if (is === 'free')
    return `none (${place}, given back${renewedAt === undefined ? '' : ` ${ageText(now - renewedAt)} ago`})`
  if (is === 'expired') return `none: ${holder} is gone (${place}, ${renewed})`
  const since = acquiredAt === undefined ? '' : `, leads since ${ageText(now - acquiredAt)}`
  return `${holder} (${place}, ${renewed}${since})`
}

/** Unknown counts are null. */
export function statusJson({ leaders, pods, sets, at }: Status): object {
  return {
    at: new Date(at).toISOString(),
    leaders: leaders.known ? leaders.value.map(leaderJson) : null,
    leadersUnknown: leaders.known ? null : leaders.why,
    // Null if a process leads, or if that is not known.
    controllerPods: pods === undefined ? null : pods.known ? pods.value : { is: 'unknown', why: pods.why },
    sets: sets.map(setJson),
  }
}

function leaderJson({ is, lease, holder, renewedAt, acquiredAt }: Leader): object {
  return { is, lease, holder, renewedAt: time(renewedAt), acquiredAt: time(acquiredAt) }
}

export function setJson({ view, work, problems }: Judged): object {
  const { namespace, name, generation, observedGeneration, paused, deleting, max, conditions } = view
  const { demand, idle, busy, pending, failed, lateJobs, unserved, pollSeconds, lastReason, lastMessage } = view
  const { min, minReason, announced, announcedReason, announcedDetail } = view
  return {
    namespace,
    name,
    controller: work.is,
    paused,
    deleting,
    generation,
    observedGeneration: observedGeneration ?? null,
    demand: demand ?? null,
    idle: idle ?? null,
    busy: busy ?? null,
    pending: pending ?? null,
    failed: failed ?? null,
    lateJobs: lateJobs ?? null,
    unserved: unserved ?? null,
    pollSeconds: pollSeconds ?? null,
    runnerVersion: view.runnerVersion ?? null,
    min: min ?? null,
    minReason: minReason ?? null,
    max: max ?? null,
    announced: announced ?? null,
    announcedReason: announcedReason ?? null,
    announcedDetail: announcedDetail ?? null,
    lastReason: lastReason ?? null,
    lastMessage: lastMessage ?? null,
    conditions,
    problems,
  }
}

function time(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}
