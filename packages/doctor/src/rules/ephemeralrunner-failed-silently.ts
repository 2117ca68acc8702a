// Finds failed runners of ARC. Only their own status contains the reason.
import { fieldsAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { arcObjects } from '../arc/arc.ts'
import type { ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ephemeralrunner-failed-silently',
  code: 'ARC401',
  title: 'A runner has failed, and only its status shows the reason',
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
  const statusMessage = textAt(raw, 'status', 'message')?.trim().replace(/\.$/, '')
  const times = failures > 0 ? `, after ${failures} failed pods` : ''
  return [
    {
      object: runner.object,
      document: runner.document,
      path: ['status', 'phase'],
      message: `The runner failed (${reason}${times})${statusMessage ? `: ${statusMessage}` : ', and its status has no message'}. ${adviceOn(reason, statusMessage ?? '')} ARC never retries it, and it holds a slot of its set until it is deleted.`,
    },
  ]
}

function adviceOn(reason: string, message: string): string {
  const known = advices.find(({ pattern }) => pattern.test(message))
  if (known) return known.advice
  return reason === 'TooManyPodFailures'
    ? 'Check the exit codes of the runner containers in its pods.'
    : 'Fix the template of the set, and check the rendered pod with kubectl apply --dry-run=server.'
}

const advices: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    pattern: /initContainers\[\d+\]\.(startupProbe|livenessProbe|readinessProbe|lifecycle)/,
    advice:
      'restartPolicy Always is missing or was removed on the way: see probe-without-sidecar and sidecar-field-stripped.',
  },
  {
    pattern: /initContainers\[\d+\]\.restartPolicy.*Unsupported value/s,
    advice: 'See init-restart-policy-invalid: a daemon needs Always, and without the field it would block the pod.',
  },
  {
    pattern: /violates PodSecurity|privileged/i,
    advice:
      'The namespace does not admit such pods: a Docker daemon needs a namespace with the Pod Security level privileged.',
  },
  {
    pattern: /denied the request/,
    advice: 'An admission webhook refused the pod: ask the owner of the webhook, or exempt the namespace.',
  },
]
