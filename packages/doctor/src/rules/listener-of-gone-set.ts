// Finds listeners of ARC that name an EphemeralRunnerSet which ARC has deleted. They fail forever, and their set gets no runner.
import { arcObjects } from '../arc/arc.ts'
import { isDeleted, strayListeners } from '../arc/listeners.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'listener-of-gone-set',
  code: 'ARC406',
  title: 'A listener writes to a runner set that no longer exists',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['AutoscalingListener', 'EphemeralRunnerSet', 'AutoscalingRunnerSet'], (live) =>
      check(facts, live),
    ),
}

/** Milliseconds: ARC replaces the set and its listener one after the other, usually within seconds. */
const reactionTime = 120_000

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  // An uninstall deletes the listener and the set in its own order.
  const doomed = new Set(
    arcObjects(facts, 'AutoscalingRunnerSet')
      .filter(isDeleted)
      .map(({ object }) => `${object.namespace}/${object.name}`),
  )
  return strayListeners(facts, live.at)
    .filter(({ ageMs, gone, root }) => ageMs > reactionTime && !doomed.has(`${gone.namespace}/${root}`))
    .map(({ listener, gone, present, ageMs }) => ({
      object: listener.object,
      document: listener.document,
      path: ['spec', 'ephemeralRunnerSetName'],
      message: `For at least ${durationText(ageMs)} the listener has named EphemeralRunnerSet ${gone.namespace}/${gone.name}, which does not exist. Its pod ends with "not found", ARC makes it again, and the set gets no runner. Delete this AutoscalingListener: ARC makes a new one${present ? ` for ${present.object.name}` : ''}.`,
    }))
}
