// Finds Jobs whose pods are removed before the Job counts them, so that the Job creates them again and again.
import type { Instant } from '@dayfly/kit/clock'
import { listAt, numberAt, textAt, timeAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { ownerOf, uidOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'pods-removed-under-job',
  code: 'JOB209',
  title: "The Job's pods are removed before the Job counts them",
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Job', 'Pod'], (live) => {
      const seen = readBoth(facts, live)
      return objectsOf(facts, 'Job').flatMap((job) => check(job, seen, live))
    }),
}

/** The number of pods that may be in transition between two counts. */
const maxInTransition = 2

function check(job: ObjectFact, seen: Seen, live: LiveFacts): readonly Hit[] {
  const started = timeAt(job.raw, 'status', 'startTime')
  if (started === undefined || isDone(job)) return []
  const lost = Math.max(lostByEvents(job, seen), lostSince(job, seen, live))
  if (lost === 0) return []
  return [
    {
      object: job.object,
      document: job.document,
      path: ['status'],
      message: `At least ${lost} pods of this Job are gone, and the Job did not count them. It has been active for ${durationText(live.at - started)} and creates new pods, which do the work again. Find the client that deletes them: the pod garbage collector above its threshold, a clean-up script, or a node that is removed.`,
    },
  ]
}

function isDone({ raw }: ObjectFact): boolean {
  const met = ['Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget', 'Suspended']
  return listAt(raw, 'status', 'conditions').some(
    (each) => met.includes(textAt(each, 'type') ?? '') && textAt(each, 'status') === 'True',
  )
}

function counted(raw: unknown): number {
  const lists = ['succeeded', 'failed'].map((key) => listAt(raw, 'status', 'uncountedTerminatedPods', key).length)
  const numbers = ['succeeded', 'failed', 'active', 'terminating'].map((key) => numberAt(raw, 'status', key) ?? 0)
  return [...lists, ...numbers].reduce((sum, each) => sum + each, 0)
}

/** Returns how many more pods were created, according to events, than exist, are counted, or were deleted by the Job itself. */
function lostByEvents(job: ObjectFact, seen: Seen): number {
  const started = timeAt(job.raw, 'status', 'startTime') ?? 0
  const events = (seen.events.get(uidOf(job.raw) ?? '') ?? []).filter(({ first }) => first >= started)
  const sum = (reason: string) =>
    events.reduce((total, event) => total + (event.reason === reason ? event.count : 0), 0)
  const lost = sum('SuccessfulCreate') - sum('SuccessfulDelete') - counted(job.raw)
  return lost > maxInTransition ? lost : 0
}

/** Returns how many pods of the earlier read are gone although the Job has not counted another end. */
function lostSince(job: ObjectFact, seen: Seen, live: LiveFacts): number {
  const uid = uidOf(job.raw)
  const before = uid === undefined ? undefined : seen.jobsBefore.get(uid)
  if (uid === undefined || !before) return 0
  const ended = (raw: unknown) => (numberAt(raw, 'status', 'succeeded') ?? 0) + (numberAt(raw, 'status', 'failed') ?? 0)
  // A Job that was suspended in between deleted its pods itself and started again.
  if (textAt(job.raw, 'status', 'startTime') !== textAt(before.raw, 'status', 'startTime')) return 0
  if (ended(job.raw) !== ended(before.raw)) return 0
  const now = seen.pods.get(uid) ?? []
  const there = new Set(now.map(({ raw }) => uidOf(raw)))
  const gone = (seen.podsBefore.get(uid) ?? []).filter(({ raw }) => !there.has(uidOf(raw)))
  const then = live.earlier?.at ?? live.at
  const isReplaced = now.some(({ raw }) => (timeAt(raw, 'metadata', 'creationTimestamp') ?? 0) >= then)
  return isReplaced ? gone.length : 0
}

/** The results of both reads, by the UIDs of Jobs. */
type Seen = {
  /** The events of the Job controller. */
  readonly events: ReadonlyMap<string, readonly JobEvent[]>
  readonly pods: ReadonlyMap<string, readonly ObjectFact[]>
  readonly podsBefore: ReadonlyMap<string, readonly ObjectFact[]>
  readonly jobsBefore: ReadonlyMap<string, ObjectFact>
}

/** One event, or several equal ones: their number, and the time of the first. */
type JobEvent = { readonly reason: string; readonly count: number; readonly first: Instant }

function readBoth(facts: Facts, live: LiveFacts): Seen {
  const events = new Map<string, JobEvent[]>()
  for (const { raw } of objectsOf(facts, 'Event')) {
    const uid = textAt(raw, 'involvedObject', 'uid')
    const reason = textAt(raw, 'reason')
    if (uid === undefined || reason === undefined) continue
    const first = timeAt(raw, 'firstTimestamp') ?? timeAt(raw, 'eventTime') ?? timeAt(raw, 'lastTimestamp') ?? 0
    const known = events.get(uid) ?? []
    known.push({ reason, count: numberAt(raw, 'count') ?? 1, first })
    events.set(uid, known)
  }
  const before = live.earlier?.objects ?? []
  const jobs = before.filter(({ object }) => object.kind === 'Job')
  return {
    events,
    pods: podsByJob(facts.objects),
    podsBefore: podsByJob(before),
    jobsBefore: new Map(jobs.map((job) => [uidOf(job.raw) ?? '', job])),
  }
}

function podsByJob(objects: readonly ObjectFact[]): ReadonlyMap<string, readonly ObjectFact[]> {
  const byJob = new Map<string, ObjectFact[]>()
  for (const fact of objects) {
    const uid = fact.object.kind === 'Pod' ? ownerOf(fact.raw, 'Job')?.uid : undefined
    if (uid === undefined) continue
    const pods = byJob.get(uid) ?? []
    pods.push(fact)
    byJob.set(uid, pods)
  }
  return byJob
}
