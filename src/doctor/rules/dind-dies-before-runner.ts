// Finds Docker daemons in ordinary containers next to a runner: both receive SIGTERM at the same time, and Docker ends first.

import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn, ordinaryContainers } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'dind-dies-before-runner',
  code: 'POD113',
  title: 'Docker stops while the runner still works',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'guided',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  // In a pod that is meant to end, dind-ordinary-container reports the same container as an error.
  if (!pod.isRunner || pod.runsToCompletion) return []
  return ordinaryContainers(pod).flatMap((container) => {
    const daemon = daemonOf(container, pod)
    if (!daemon || container.preStop) return []
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} receives SIGTERM together with the runner and ends within seconds, so the job loses Docker. Make it a native sidecar, which the kubelet stops after the runner, or add a preStop hook that waits.`,
        confidence: daemon.confidence,
        absent: [
          [...container.path, 'lifecycle'],
          [...pod.path, 'restartPolicy'],
        ],
      }),
    ]
  })
}
