// Finds runners of ARC in kubernetes mode whose job pods may be scheduled to another node than the runner's volume.
import type { Path } from '@dayfly/kit/read-json'
import { textAt, textsAt } from '@dayfly/kit/read-json'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'rwo-work-volume',
  code: 'ARC405',
  title: 'The work volume can be mounted on only one node, but jobs may run on another',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({ hits: facts.pods.filter(({ isRunner }) => isRunner).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  if (!pod.containers.some(({ env }) => env['ACTIONS_RUNNER_USE_KUBE_SCHEDULER'] === 'true')) return []
  const path = claimOf(pod)
  const modes = path ? textsAt(pod.raw, ...path) : []
  if (!path || modes.length === 0 || modes.includes('ReadWriteMany')) return []
  return [
    hitIn(pod, {
      path,
      message: `The work volume is ${modes.join(', ')}, but with ACTIONS_RUNNER_USE_KUBE_SCHEDULER the scheduler may choose another node for a job's pod. The volume cannot be mounted there (Multi-Attach). Use ReadWriteMany.`,
    }),
  ]
}

/**
 * Returns the path of the work volume's access modes. They are in the template's own volume, or in the claim that the chart
 * creates in kubernetes mode (docs/reference/arc.md#s5-2).
 */
function claimOf(pod: PodView): Path | undefined {
  const own = pod.volumes.find(({ name }) => name === 'work')
  if (own) return [...own.path, 'ephemeral', 'volumeClaimTemplate', 'spec', 'accessModes']
  const mode = textAt(pod.raw, 'containerMode', 'type')
  return mode === 'kubernetes' ? ['containerMode', 'kubernetesModeWorkVolumeClaim', 'accessModes'] : undefined
}
