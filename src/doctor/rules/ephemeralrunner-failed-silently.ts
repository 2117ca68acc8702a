// ARC: a runner that failed says why only in its own status (incident S1).

import { fieldsAt, textAt, valueAt } from '../../lib/read-json.ts'
import { arcObjects } from '../arc/arc.ts'
import type { ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ephemeralrunner-failed-silently',
  code: 'ARC401',
  title: 'A runner has failed, and only its status says why',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) => withLive(facts, ['EphemeralRunner'], () => arcObjects(facts, 'EphemeralRunner').flatMap(check)),
}

function check(runner: ObjectFact): readonly Hit[] {
  const { raw } = runner
  const isDeleted = valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined
  if (textAt(raw, 'status', 'phase') !== 'Failed' || isDeleted) return []
  const reason = textAt(raw, 'status', 'reason') ?? 'no reason'
  const failures = Object.keys(fieldsAt(raw, 'status', 'failures') ?? {}).length
  const said = textAt(raw, 'status', 'message')?.trim().replace(/\.$/, '')
  const times = failures > 0 ? `, after ${failures} failed pods` : ''
  return [
    {
      object: runner.object,
      document: runner.document,
      path: ['status', 'phase'],
      message: `The runner failed (${reason}${times})${said ? `: ${said}` : ', and its status says no more'}. ${adviceOn(reason, said ?? '')} It is never retried and holds a slot of its set until it is deleted.`,
    },
  ]
}

function adviceOn(reason: string, message: string): string {
  const known = advices.find(({ says }) => says.test(message))
  if (known) return known.advice
  return reason === 'TooManyPodFailures'
    ? "Look at what its pods' runner containers exited with."
    : 'Mend the template of the set, and try the rendered pod with kubectl apply --dry-run=server.'
}

const advices: readonly { readonly says: RegExp; readonly advice: string }[] = [
  {
    says: /initContainers\[\d+\]\.(startupProbe|livenessProbe|readinessProbe|lifecycle)/,
    advice:
      'Something took restartPolicy Always away, or it was never there: see probe-without-sidecar and sidecar-field-stripped.',
  },
  {
    says: /initContainers\[\d+\]\.restartPolicy.*Unsupported value/s,
    advice: 'See init-restart-policy-invalid: a daemon needs Always, and removing the field would make it hang.',
  },
  {
    says: /violates PodSecurity|privileged/i,
    advice: 'The namespace does not admit such pods: a Docker daemon needs one whose Pod Security level is privileged.',
  },
  {
    says: /denied the request/,
    advice: 'An admission webhook refused the pod: ask its owner, or exempt the namespace.',
  },
]
