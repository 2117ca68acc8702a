// A runner's grace that ends before its job can.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'grace-too-short',
  code: 'POD112',
  title: 'The runner is killed before its job can end',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

/** Kubernetes: what a pod gets that asks for nothing. */
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
          ? `The runner gets ${grace} s${written ? '' : ' (the default)'} to end when its pod is deleted or its node is drained: a job that takes longer is killed.`
          : `The runner waits up to ${wanted} s for its job (RUNNER_GRACEFUL_STOP_TIMEOUT), but its pod is killed after ${grace} s${written ? '' : ' (the default)'}.`,
      confidence: wanted === undefined ? 'medium' : 'high',
      absent: written ? [] : [path],
      fix: {
        safety: 'unsafe',
        title: `Give the pod ${value} s to end`,
        edits: [{ do: 'set', path, value }],
      },
    }),
  ]
}

function gracefulStop(pod: PodView): number | undefined {
  const values = pod.containers.map(({ env }) => Number(env['RUNNER_GRACEFUL_STOP_TIMEOUT'] ?? Number.NaN))
  return values.find((seconds) => Number.isFinite(seconds) && seconds > 0)
}
