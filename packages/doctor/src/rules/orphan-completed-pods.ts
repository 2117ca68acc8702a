// Finds finished pods whose Job is gone: no TTL and no owner removes them.
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { ageOf, ownerOf, uidOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'orphan-completed-pods',
  code: 'LIV305',
  title: 'A finished pod whose Job is gone stays forever',
  severity: 'info',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) => withLive(facts, ['Pod', 'Job'], (live) => check(facts, live)),
}

/** Milliseconds: the garbage collector may still be removing younger pods. */
const minAge = 3_600_000
const labels = ['batch.kubernetes.io/job-name', 'job-name']

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  const jobs = new Set(objectsOf(facts, 'Job').map(({ raw }) => uidOf(raw)))
  return objectsOf(facts, 'Pod').flatMap((pod) => {
    const age = ageOf(pod.raw, live.at) ?? 0
    const isFinished = /^(Succeeded|Failed)$/.test(textAt(pod.raw, 'status', 'phase') ?? '')
    const isDeleted = valueAt(pod.raw, 'metadata', 'deletionTimestamp') !== undefined
    if (!isFinished || isDeleted || age < minAge || !isOrphan(pod, jobs)) return []
    return [
      {
        object: pod.object,
        document: pod.document,
        path: ['status', 'phase'],
        message: `The pod has ended, its Job is gone, and nothing removes it; it is ${durationText(age)} old. A Job that is deleted without a propagation policy leaves its pods behind.`,
      },
    ]
  })
}

function isOrphan({ raw }: ObjectFact, jobs: ReadonlySet<string | undefined>): boolean {
  const owner = ownerOf(raw, 'Job')
  if (owner) return !jobs.has(owner.uid)
  const owners = listAt(raw, 'metadata', 'ownerReferences')
  return owners.length === 0 && labels.some((label) => valueAt(raw, 'metadata', 'labels', label) !== undefined)
}
