// Finds runners whose grace period ends before their job can.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'grace-too-short',
  code: 'POD112',
  title: 'The kubelet kills the runner before its job can end',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

/** Seconds: the default of Kubernetes. */
const defaultGrace = 30

function check(pod: PodView): readonly Hit[] {
  if (!pod.isRunner || !isWhole(pod)) return []
  const grace = pod.terminationGracePeriodSeconds ?? defaultGrace
  const wanted = gracefulStop(pod)
  if (wanted === undefined ? grace > defaultGrace : grace > wanted) return []
  const path = [...pod.path, 'terminationGracePeriodSeconds']
  const written = pod.terminationGracePeriodSeconds !== undefined
  const value = wanted === undefined ? 3600 : wanted + 30
  return [
    hitIn(pod, {
      path: written ? path : pod.path,
      message:
        wanted === undefined
          ? `The runner has ${grace} s${written ? '' : ' (the default)'} to end when its pod is deleted or its node is drained. A job that takes longer is killed. Increase terminationGracePeriodSeconds.`
          : `The runner waits up to ${wanted} s for its job (RUNNER_GRACEFUL_STOP_TIMEOUT), but the kubelet kills its pod after ${grace} s${written ? '' : ' (the default)'}.`,
      confidence: wanted === undefined ? 'medium' : 'high',
      absent: written ? [] : [path],
      fix: {
        safety: 'unsafe',
        title: `Give the pod a grace period of ${value} s`,
        edits: [{ do: 'set', path, value }],
      },
    }),
  ]
}

function gracefulStop(pod: PodView): number | undefined {
  const values = pod.containers.map(({ env }) => Number(env['RUNNER_GRACEFUL_STOP_TIMEOUT'] ?? Number.NaN))
  return values.find((seconds) => Number.isFinite(seconds) && seconds > 0)
}
