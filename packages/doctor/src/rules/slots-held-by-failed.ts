// Finds runner sets of ARC that cannot scale up because failed runners use their free slots: ARC counts them as replicas.
import { numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { arcObjects, runnersOf } from '../arc/arc.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'slots-held-by-failed',
  code: 'ARC402',
  title: 'Failed runners hold the last free slots of their set',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['AutoscalingRunnerSet', 'EphemeralRunnerSet', 'EphemeralRunner'], () =>
      arcObjects(facts, 'AutoscalingRunnerSet').flatMap((set) => check(set, facts)),
    ),
}

function check(set: ObjectFact, facts: Facts): readonly Hit[] {
  const max = numberAt(set.raw, 'spec', 'maxRunners')
  if (max === undefined || valueAt(set.raw, 'metadata', 'deletionTimestamp') !== undefined) return []
  // ARC does not count those that it is deleting.
  const runners = runnersOf(facts, set).filter(({ raw }) => valueAt(raw, 'metadata', 'deletionTimestamp') === undefined)
  const failed = runners.filter(({ raw }) => textAt(raw, 'status', 'phase') === 'Failed').length
  const alive = runners.length - failed
  if (failed === 0 || failed < max - alive) return []
  return [
    {
      object: set.object,
      document: set.document,
      path: ['spec', 'maxRunners'],
      message: `${failed} failed runners and ${alive} live ones use all of maxRunners ${max}. The set cannot start another runner until you delete the failed ones.`,
    },
  ]
}
