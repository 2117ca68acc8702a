// Docker beside a runner as an ordinary container: both get TERM at once, and Docker is quicker.

import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn, ordinaryContainers } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'dind-dies-before-runner',
  code: 'POD113',
  title: 'Docker is stopped while the runner still works',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'guided',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  // In a pod that is meant to end the same container is the graver hazard: it never ends.
  if (!pod.isRunner || pod.runsToCompletion) return []
  return ordinaryContainers(pod).flatMap((container) => {
    const daemon = daemonOf(container, pod)
    if (!daemon || container.preStop) return []
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} gets TERM together with the runner and ends within seconds, and the job loses its Docker. A native sidecar is stopped after the runner; an ordinary container needs a preStop that waits.`,
        confidence: daemon.confidence,
        absent: [
          [...container.path, 'lifecycle'],
          [...pod.path, 'restartPolicy'],
        ],
      }),
    ]
  })
}
