// Finds listeners of ARC whose pods end again and again. ARC makes the next one at once, and its API does not show that.
import { arcObjects } from '../arc/arc.ts'
import { isDeleted, strayListeners } from '../arc/listeners.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { podsNamed } from '../read/objects/events.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'listener-restarts',
  code: 'ARC407',
  title: 'ARC makes the pod of a listener again without pause',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['AutoscalingListener', 'EphemeralRunnerSet', 'Event'], (live) => check(facts, live)),
}

/** Milliseconds, and the pods of one listener in that time. An update or a drained node replaces one or two. */
const period = 600_000
const podsMin = 5

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  // A listener without its set is the finding of another rule.
  const stray = new Set(strayListeners(facts, live.at).map(({ listener }) => listener))
  return arcObjects(facts, 'AutoscalingListener').flatMap((listener) => {
    if (isDeleted(listener) || stray.has(listener)) return []
    const { namespace, name } = listener.object
    const pods = podsNamed(facts, { namespace, name }, live.at - period)
    if (pods < podsMin) return []
    return [
      {
        object: listener.object,
        document: listener.document,
        path: ['metadata', 'name'],
        message: `ARC made ${pods} pods for this listener in the last ${durationText(period)}: each one fails soon after its start, and the set gets no runner. "kubectl -n ${namespace} logs ${name}" shows the reason.`,
      },
    ]
  })
}
