// The requests of one runner pod of a set: the processor and the memory of its containers.

import type { Requests } from '@dayfly/dashboard/model/life'
import { buildPod } from '@dayfly/runner-set/core/pod'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

type Container = {
  readonly restartPolicy?: string
  readonly resources?: {
    readonly requests?: Readonly<Record<string, unknown>>
    readonly limits?: Readonly<Record<string, unknown>>
  }
}

/** Returns null if no container requests anything: what the pod costs is then unknown. */
export function requestsOf(set: RunnerSet): Requests | null {
  const spec = buildPod(set, 'x', '', '').spec as {
    readonly containers?: readonly Container[]
    readonly initContainers?: readonly Container[]
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const running = [...(spec.containers ?? []), ...sidecars]
  const cpu = sum(running, 'cpu', 1)
  const memoryGib = sum(running, 'memory', 1_024 ** 3)
  return cpu === undefined && memoryGib === undefined ? null : { cpu: cpu ?? 0, memoryGib: memoryGib ?? 0 }
}

/** A container with a limit alone requests as much as its limit. */
function sum(containers: readonly Container[], resource: 'cpu' | 'memory', unit: number): number | undefined {
  const known = containers.flatMap(({ resources }) => {
    const value = quantity(resources?.requests?.[resource] ?? resources?.limits?.[resource])
    return value === undefined ? [] : [value / unit]
  })
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0)
}

const suffixes: Readonly<Record<string, number>> = {
  ...{ '': 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3, Ti: 1_024 ** 4 },
}

/** Reads a quantity of Kubernetes. Returns undefined for any other text. */
export function quantity(value: unknown): number | undefined {
  const [, digits, suffix = ''] =
    /^\+?(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)([a-zA-Z]{0,2})$/.exec(String(value ?? '')) ?? []
  const factor = suffixes[suffix]
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}
