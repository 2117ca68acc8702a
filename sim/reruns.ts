// The disasters that break jobs in a seed whose sets repeat them, and the jobs that fail by themselves.
import type { Random } from '@dayfly/kit/random'
import { timestamp } from '@dayfly/kit/timestamp'
import { pick } from './streams.ts'
import type { Disaster } from './strikes.ts'
import type { World } from './world.ts'

/** The exit code of a job that fails by itself. */
export const failingCode = 1

function aliveJob(world: World, random: Random) {
  const pods = world.registry.list('pods').filter(({ metadata }) => world.alive.has(metadata.uid))
  const busy = pods.filter(({ metadata }) => world.github.control.registration(metadata.name)?.busy)
  return busy.length > 0 ? pick(busy, random) : undefined
}

/** The cluster says who ends the pod, and then ends it. */
function breaking(name: string, reason: string, graceSeconds: number | undefined): Disaster {
  return {
    name,
    strike: (world, random) => {
      const pod = aliveJob(world, random)
      if (!pod) return
      const { registry, clock } = world
      const at = timestamp(clock.now())
      const condition = { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: at }
      const { conditions = [], ...status } = Object(pod['status'])
      registry.update(
        'pods',
        { ...pod, status: { ...status, conditions: [...conditions, condition] } },
        { subresource: 'status' },
      )
      const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }
      registry.delete('pods', pod.metadata.namespace, pod.metadata.name, grace)
    },
  }
}

/** Returns nothing for a world without sets that repeat jobs. */
export function breakingDisasters({ sets }: World): readonly Disaster[] {
  if (!sets.some(({ reruns }) => reruns)) return []
  return [
    breaking('preemption', 'PreemptionByScheduler', undefined),
    breaking('eviction', 'EvictionByEvictionAPI', undefined),
    breaking('lost node', 'DeletionByTaintManager', 0),
  ]
}
