// A Job whose pods vanish before they are counted, so that it makes them again and again (incident S2).
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import { listAt, numberAt, textAt, timeAt, valueAt } from '../fields.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { durationText, eventsOf, objectsOf, ownerOf, uidOf } from '../live-pod.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'pods-removed-under-job',
  code: 'JOB209',
  title: "The Job's pods vanish before they are counted",
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Job', 'Pod'], (live) => objectsOf(facts, 'Job').flatMap((job) => check(job, facts, live))),
}

/** Pods that may be under way between two counts. */
const slack = 2

function check(job: ObjectFact, facts: Facts, live: LiveFacts): readonly Hit[] {
  const started = timeAt(job.raw, 'status', 'startTime')
  if (started === undefined || isDecided(job)) return []
  const lost = Math.max(lostByEvents(job, facts), lostSince(job, facts, live))
  if (lost === 0) return []
  return [
    {
      object: job.object,
      document: job.document,
      path: ['status'],
      message: `At least ${lost} pods of this Job are gone without having been counted; it has been active for ${durationText(live.at - started)} and makes new ones, which do the work again. Look at who deletes them: the pod garbage collector above its threshold, a clean-up script, a node that comes and goes.`,
    },
  ]
}

function isDecided({ raw }: ObjectFact): boolean {
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

/** More were made, as events tell, than are there or counted. */
function lostByEvents(job: ObjectFact, facts: Facts): number {
  const made = eventsOf(facts, job)
    .filter(({ reason }) => reason === 'SuccessfulCreate')
    .reduce((sum, { count }) => sum + count, 0)
  const lost = made - counted(job.raw)
  return lost > slack ? lost : 0
}

/** Pods of the earlier look that are gone, while nothing more was counted as ended. */
function lostSince(job: ObjectFact, facts: Facts, live: LiveFacts): number {
  const uid = uidOf(job.raw)
  const before = live.earlier?.objects.find(({ raw }) => uidOf(raw) === uid)
  if (uid === undefined || !live.earlier || !before) return 0
  const ended = (raw: unknown) => (numberAt(raw, 'status', 'succeeded') ?? 0) + (numberAt(raw, 'status', 'failed') ?? 0)
  if (ended(job.raw) !== ended(before.raw)) return 0
  const now = podsOf(facts.objects, uid)
  const there = new Set(now.map(({ raw }) => uidOf(raw)))
  const gone = podsOf(live.earlier.objects, uid).filter(({ raw }) => !there.has(uidOf(raw)))
  const then = live.earlier.at
  const isReplaced = now.some(({ raw }) => (timeAt(raw, 'metadata', 'creationTimestamp') ?? 0) >= then)
  return isReplaced ? gone.length : 0
}

function podsOf(objects: readonly ObjectFact[], uid: string): readonly ObjectFact[] {
  return objects.filter(
    ({ object, raw }) => object.kind === 'Pod' && ownerOf(raw, 'Job')?.uid === uid && valueAt(raw, 'status') !== null,
  )
}
