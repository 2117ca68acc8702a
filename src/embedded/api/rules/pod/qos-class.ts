// Computes a pod's QoS class from the cpu and memory of its containers.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/v1/helper/qos/qos.go
import { parseQuantity } from '../../quantity.ts'
import type { PodSpec, Quantities } from './pod-spec.ts'

const computed = ['cpu', 'memory']

export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const requests = sum(containers.map((container) => container.resources?.requests ?? {}))
  const limits = sum(containers.map((container) => container.resources?.limits ?? {}))
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const limited = containers.every(({ resources }) => computed.every((name) => amount(resources?.limits?.[name]) > 0n))
  const equal = computed.every((name) => requests.get(name) === limits.get(name))
  return limited && equal ? 'Guaranteed' : 'Burstable'
}

function sum(lists: readonly Quantities[]): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>()
  for (const list of lists) {
    for (const name of computed) {
      const nano = amount(list[name])
      if (nano > 0n) total.set(name, (total.get(name) ?? 0n) + nano)
    }
  }
  return total
}

function amount(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseQuantity(text)?.nano ?? 0n)
}
