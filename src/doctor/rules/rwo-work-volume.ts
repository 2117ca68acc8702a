// ARC in kubernetes mode: job pods that the scheduler may put on another node than the runner's volume.
import { textsAt } from '../fields.ts'
import type { Hit, Path } from '../finding.ts'
import { hitIn } from '../pod-parts.ts'
import type { PodView } from '../pod-view.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'rwo-work-volume',
  code: 'ARC405',
  title: 'The work volume can be mounted on one node only, but jobs may run on another',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({ hits: facts.pods.filter(({ isRunner }) => isRunner).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  if (!pod.containers.some(({ env }) => env['ACTIONS_RUNNER_USE_KUBE_SCHEDULER'] === 'true')) return []
  const claims: readonly Path[] = [
    ...pod.volumes
      .filter(({ name }) => name === 'work')
      .map(({ path }) => [...path, 'ephemeral', 'volumeClaimTemplate', 'spec', 'accessModes']),
    ['containerMode', 'kubernetesModeWorkVolumeClaim', 'accessModes'],
  ]
  return claims.flatMap((path) => {
    const modes = textsAt(pod.raw, ...path)
    if (modes.length === 0 || modes.includes('ReadWriteMany')) return []
    return [
      hitIn(pod, {
        path,
        message: `The work volume is ${modes.join(', ')}, but ACTIONS_RUNNER_USE_KUBE_SCHEDULER lets the scheduler put a job's pod on another node, where the volume cannot be mounted (Multi-Attach). It must be ReadWriteMany.`,
      }),
    ]
  })
}
