// The amounts that a pod uses of the resources that quotas limit
// (https://kubernetes.io/docs/concepts/policy/resource-quotas/, https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers).

import { amountsOf } from '../model/quantity.ts'
import type { PodUse } from '../model/quota.ts'

type Amounts = Readonly<Record<string, number>>
type Side = 'requests' | 'limits'
type Texts = Readonly<Record<string, unknown>>
type Resources = { readonly requests?: Texts; readonly limits?: Texts }
type Container = { readonly restartPolicy?: string; readonly resources?: Resources }
type Spec = {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly resources?: Resources
  readonly overhead?: Texts
  readonly priorityClassName?: string
  readonly activeDeadlineSeconds?: number
}

/** The resources of a pod whose limits quotas know. */
const limited = ['cpu', 'memory', 'ephemeral-storage']

/** @param stored the pod's spec as the API server has completed it. Every runner has one pod and one Secret. */
export function podUseOf(stored: unknown): PodUse {
  const spec = (stored ?? {}) as Spec
  const requests = totalOf(spec, 'requests')
  const limits = totalOf(spec, 'limits')
  const amounts: Record<string, number> = { pods: 1, 'count/pods': 1, secrets: 1, 'count/secrets': 1 }
  for (const [name, amount] of Object.entries(requests)) {
    amounts[`requests.${name}`] = amount
    amounts[name] = amount
  }
  for (const name of limited) if (limits[name] !== undefined) amounts[`limits.${name}`] = limits[name]
  const isBestEffort = ['cpu', 'memory'].every((name) => requests[name] === undefined && limits[name] === undefined)
  return {
    amounts,
    priorityClass: spec.priorityClassName,
    isTerminating: spec.activeDeadlineSeconds !== undefined,
    isBestEffort,
  }
}

/** Containers and sidecars run together. An init container runs beside the sidecars before it. The pod's own statement replaces them. */
function totalOf(spec: Spec, side: Side): Amounts {
  let sidecars: Amounts = {}
  let peak: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side])
    if (container.restartPolicy === 'Always') sidecars = sum(sidecars, own)
    peak = largest(peak, container.restartPolicy === 'Always' ? sidecars : sum(sidecars, own))
  }
  const running = (spec.containers ?? []).map(({ resources }) => amountsOf(resources?.[side])).reduce(sum, sidecars)
  const total = { ...largest(peak, running), ...amountsOf(spec.resources?.[side]) }
  return Object.keys(total).length === 0 ? total : sum(total, amountsOf(spec.overhead))
}

function sum(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, (one, other) => one + other)
}

function largest(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, Math.max)
}

function combine(left: Amounts, right: Amounts, of: (one: number, other: number) => number): Amounts {
  const names = [...Object.keys(left), ...Object.keys(right)]
  return Object.fromEntries(names.map((name) => [name, of(left[name] ?? 0, right[name] ?? 0)]))
}
