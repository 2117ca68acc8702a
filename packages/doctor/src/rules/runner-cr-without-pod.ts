// Finds runners of ARC whose status is Running but that have no pod.
import { fieldsAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import { arcObjects, hasJob } from '../arc/arc.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { ageOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'runner-cr-without-pod',
  code: 'ARC403',
  title: 'A runner is Running by its status but has no pod',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) => withLive(facts, ['EphemeralRunner', 'Pod'], (live) => check(facts, live)),
}

/** Milliseconds: the controller may be about to create the pod again; it waits up to 80 s after a failure (docs/reference/arc.md#s3). */
const reactionTime = 600_000

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  const pods = new Set(objectsOf(facts, 'Pod').map(nameOf))
  const podsBefore = new Set((live.earlier?.objects ?? []).filter(({ object }) => object.kind === 'Pod').map(nameOf))
  return arcObjects(facts, 'EphemeralRunner').flatMap((runner) => {
    const { object, document, raw } = runner
    const age = ageOf(raw, live.at) ?? 0
    const isDeleted = valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined
    if (textAt(raw, 'status', 'phase') !== 'Running' || isDeleted || age < reactionTime) return []
    if (pods.has(nameOf(runner)) || live.at - (lastFailure(runner) ?? 0) < reactionTime) return []
    if (podsBefore.has(nameOf(runner)) && live.at - (live.earlier?.at ?? 0) < reactionTime) return []
    const busy = hasJob(runner)
      ? ' Its status still names a job: check at the forge whether that job runs before you delete the runner.'
      : ''
    return [
      {
        object,
        document,
        path: ['status', 'phase'],
        message: `The status of the runner is Running, but it has no pod and is ${durationText(age)} old. It counts as capacity and does no work. Delete the EphemeralRunner.${busy}`,
      },
    ]
  })
}

function nameOf({ object }: ObjectFact): string {
  return `${object.namespace}/${object.name}`
}

/** Returns when its last pod failed. ARC keeps the time of each failure by the pod's UID. */
function lastFailure({ raw }: ObjectFact): number | undefined {
  const failures = fieldsAt(raw, 'status', 'failures') ?? {}
  const times = Object.keys(failures).flatMap((uid) => timeAt(failures, uid) ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}
