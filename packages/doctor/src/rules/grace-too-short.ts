// Finds runners that are configured to wait for their job when they stop, in a pod whose grace period ends before that wait.
// GitHub's actions/runner cancels its job at once, so a longer grace period alone saves nothing.
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { defaultGrace, waitingSteps } from '../pods/drain.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'grace-too-short',
  code: 'POD112',
  title: 'The kubelet kills the runner before its configured wait for its job ends',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  isCrossObject: true,
  check: (facts) => ({ hits: writtenPods(facts).flatMap((pod) => check(pod, facts)) }),
}

function check(pod: PodView, facts: Facts): readonly Hit[] {
  if (!pod.isRunner || !isWhole(pod)) return []
  const grace = pod.terminationGracePeriodSeconds ?? defaultGrace
  const wait = waitingSteps(pod, facts).find(({ seconds }) => grace <= (seconds ?? defaultGrace))
  if (!wait) return []
  const path = [...pod.path, 'terminationGracePeriodSeconds']
  const written = pod.terminationGracePeriodSeconds !== undefined
  const value = wait.seconds === undefined ? 3600 : wait.seconds + 30
  const length = wait.seconds === undefined ? 'until its job ends' : `up to ${wait.seconds} s for its job`
  return [
    hitIn(pod, {
      path: written ? path : pod.path,
      message: `The runner waits ${length} (${wait.by}), but the kubelet kills its pod after ${grace} s${written ? '' : ' (the default)'}. Increase terminationGracePeriodSeconds.`,
      confidence: wait.confidence,
      absent: written ? [] : [path],
      fix: {
        safety: 'unsafe',
        title: `Give the pod a grace period of ${value} s`,
        edits: [{ do: 'set', path, value }],
      },
    }),
  ]
}
