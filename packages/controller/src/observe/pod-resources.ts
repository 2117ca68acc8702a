// The requests and limits of one runner pod of a set: the processor in cores, the memory in bytes.
import { buildPod } from '@dayfly/runner-set/core/pod'
import { amountsOf } from '@dayfly/runner-set/model/quantity'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

type Texts = Readonly<Record<string, unknown>>
type Container = {
  readonly restartPolicy?: string
  readonly resources?: { readonly requests?: Texts; readonly limits?: Texts }
}

export type PodResource = {
  /** The sum of all containers; undefined if none requests anything. */
  readonly request: number | undefined
  /** Undefined if a container has no limit: then the pod has none. */
  readonly limit: number | undefined
}

export type PodResources = { readonly cpu: PodResource; readonly memory: PodResource }

export function podResourcesOf(set: RunnerSet): PodResources {
  const spec = buildPod(set, 'x', '', '').spec as {
    readonly containers?: readonly Container[]
    readonly initContainers?: readonly Container[]
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const running = [...(spec.containers ?? []), ...sidecars]
  return { cpu: resourceOf(running, 'cpu'), memory: resourceOf(running, 'memory') }
}

function resourceOf(running: readonly Container[], resource: keyof PodResources): PodResource {
  const limits = running.map(({ resources }) => amountsOf(resources?.limits)[resource])
  // A container with a limit alone requests as much as its limit.
  const requests = running.map(({ resources }, index) => amountsOf(resources?.requests)[resource] ?? limits[index])
  return { request: sum(requests), limit: limits.includes(undefined) ? undefined : sum(limits) }
}

function sum(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, amount) => total + amount, 0)
}
