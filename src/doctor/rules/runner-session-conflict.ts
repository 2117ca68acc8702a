// A runner's pod that runs while the forge knows no such runner: it waits for jobs that can never come.
import { arcObjects, hasJob } from '../arc.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import { textAt, valueAt } from '../fields.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { ageOf, durationText } from '../live-pod.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'runner-session-conflict',
  code: 'LIV306',
  title: 'A runner runs that the forge does not know',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

/** Milliseconds: a runner may take its time to register. */
const patience = 600_000

function check(facts: Facts): RuleResult {
  if (facts.live && !facts.live.registrations) {
    return { skipped: 'the registrations at the forge were not read (no credentials were given)' }
  }
  return withLive(facts, ['EphemeralRunner'], (live) =>
    arcObjects(facts, 'EphemeralRunner').flatMap((runner) => judge(runner, live)),
  )
}

function judge(runner: ObjectFact, live: LiveFacts): readonly Hit[] {
  const { raw } = runner
  const age = ageOf(raw, live.at) ?? 0
  const name = textAt(raw, 'status', 'runnerName') ?? runner.object.name
  const isDeleted = valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined
  if (textAt(raw, 'status', 'phase') !== 'Running' || isDeleted || hasJob(runner) || age < patience) return []
  if (live.registrations?.some((each) => each.name === name)) return []
  return [
    {
      object: runner.object,
      document: runner.document,
      path: ['status', 'phase'],
      message: `The runner has run for ${durationText(age)}, has no job, and the forge knows no runner ${name}: its registration is used up or was removed, so no job will come. Delete the EphemeralRunner; a new one takes its place.`,
    },
  ]
}
