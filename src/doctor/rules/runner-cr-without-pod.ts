// ARC: a runner that is said to run and has no pod.

import { fieldsAt, textAt, timeAt, valueAt } from '../../lib/read-json.ts'
import { arcObjects, hasJob } from '../arc/arc.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../objects/by-kind.ts'
import { ageOf } from '../objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'runner-cr-without-pod',
  code: 'ARC403',
  title: 'A runner is said to run, and has no pod',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) => withLive(facts, ['EphemeralRunner', 'Pod'], (live) => check(facts, live)),
}

/** Milliseconds: the controller may be about to make its pod again; it waits up to 80 s after a failure (ARC 3). */
const patience = 600_000

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  const pods = new Set(objectsOf(facts, 'Pod').map(placeOf))
  const before = new Set((live.earlier?.objects ?? []).filter(({ object }) => object.kind === 'Pod').map(placeOf))
  return arcObjects(facts, 'EphemeralRunner').flatMap((runner) => {
    const { object, document, raw } = runner
    const age = ageOf(raw, live.at) ?? 0
    const isDeleted = valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined
    if (textAt(raw, 'status', 'phase') !== 'Running' || isDeleted || age < patience) return []
    if (pods.has(placeOf(runner)) || live.at - (lastFailure(runner) ?? 0) < patience) return []
    if (before.has(placeOf(runner)) && live.at - (live.earlier?.at ?? 0) < patience) return []
    const busy = hasJob(runner)
      ? ' It still names a job: look whether the forge says it runs before you delete it.'
      : ''
    return [
      {
        object,
        document,
        path: ['status', 'phase'],
        message: `The runner is Running by its status, is ${durationText(age)} old, and has no pod: it counts as capacity and does no work. Delete the EphemeralRunner.${busy}`,
      },
    ]
  })
}

function placeOf({ object }: ObjectFact): string {
  return `${object.namespace}/${object.name}`
}

/** When its last pod failed: ARC keeps a time for each, by the pod's UID. */
function lastFailure({ raw }: ObjectFact): number | undefined {
  const failures = fieldsAt(raw, 'status', 'failures') ?? {}
  const times = Object.keys(failures).flatMap((uid) => timeAt(failures, uid) ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}
