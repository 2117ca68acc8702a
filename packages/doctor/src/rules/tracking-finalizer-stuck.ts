// Finds pods that only the Job controller's finalizer holds although their Job is gone or has ended.
import { listAt, textAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { finalizersOf, overdueBy, ownerOf, uidOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'tracking-finalizer-stuck',
  code: 'JOB210',
  title: 'A pod waits for a Job that no longer counts it',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Pod', 'Job'], (live) => objectsOf(facts, 'Pod').flatMap((pod) => check(pod, facts, live))),
}

const tracking = 'batch.kubernetes.io/job-tracking'
/** Milliseconds: a busy Job controller may need minutes for the pods of a deleted Job. */
const minOverdue = 600_000

function check(pod: ObjectFact, facts: Facts, live: LiveFacts): readonly Hit[] {
  const overdue = overdueBy(pod.raw, live.at) ?? 0
  if (overdue < minOverdue || finalizersOf(pod.raw).join() !== tracking) return []
  const phase = textAt(pod.raw, 'status', 'phase')
  if (phase !== 'Succeeded' && phase !== 'Failed') return []
  const uid = ownerOf(pod.raw, 'Job')?.uid
  const job = uid === undefined ? undefined : objectsOf(facts, 'Job').find(({ raw }) => uidOf(raw) === uid)
  if (job && !hasEnded(job)) return []
  return [
    {
      object: pod.object,
      document: pod.document,
      path: ['metadata', 'finalizers'],
      message: `The pod should have been gone ${durationText(overdue)} ago. Only ${tracking} holds it, and its Job ${job ? 'has ended' : 'is gone'}. ${job ? 'Check whether the Job controller runs.' : 'You can remove this one finalizer.'}`,
    },
  ]
}

function hasEnded({ raw }: ObjectFact): boolean {
  return listAt(raw, 'status', 'conditions').some(
    (each) => /^(Complete|Failed)$/.test(textAt(each, 'type') ?? '') && textAt(each, 'status') === 'True',
  )
}
