// Finds Docker daemons in ordinary containers next to a runner that works on after SIGTERM: both receive it at the same time, and Docker ends first.
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { daemonOf } from '../pods/daemon.ts'
import { drainOf } from '../pods/drain.ts'
import { hitIn, ordinaryContainers } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'dind-dies-before-runner',
  code: 'POD113',
  title: 'Docker stops while the runner still works',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  isCrossObject: true,
  check: (facts) => ({ hits: facts.pods.flatMap((pod) => check(pod, facts)) }),
}

function check(pod: PodView, facts: Facts): readonly Hit[] {
  // In a pod that is meant to end, dind-ordinary-container reports the same container as an error.
  if (!pod.isRunner || pod.runsToCompletion) return []
  const daemons = ordinaryContainers(pod).filter((container) => daemonOf(container, pod) && !container.preStop)
  const drain = daemons.length === 0 ? 'cancels' : drainOf(pod, facts)
  if (drain === 'cancels') return []
  return daemons.map((container) => {
    const stops = `${container.name} receives SIGTERM together with the runner and ends within seconds`
    const advice =
      'Make it a native sidecar, which the kubelet stops after the runner, or add a preStop hook that waits.'
    const hit = {
      path: container.path,
      container: container.name,
      absent: [
        [...container.path, 'lifecycle'],
        [...pod.path, 'restartPolicy'],
      ],
    }
    if (drain === 'waits')
      return hitIn(pod, {
        ...hit,
        message: `${stops}, so the job loses Docker. ${advice}`,
        confidence: daemonOf(container, pod)?.confidence ?? 'medium',
      })
    const message = `${stops}. If the runner works on after SIGTERM, its job loses Docker. ${advice}`
    return hitIn(pod, { ...hit, message, severity: 'info', confidence: 'medium' })
  })
}
