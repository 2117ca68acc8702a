// The requests or limits of a whole pod: the sum of regular containers and sidecars, or an init container with the sidecars before
// it if that is larger.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/component-helpers/resource/helpers.go
import { type Amounts, amountsOf, highest, sum } from '../../values/amounts.ts'
import type { PodSpec } from './pod-spec.ts'

/** Resources that a pod may request as a whole. */
const wholePod: readonly string[] = ['cpu', 'memory']

export function podAmounts(spec: PodSpec, what: 'limits' | 'requests'): Amounts {
  let regular = amountsOf()
  for (const { resources } of spec.containers ?? []) regular = sum(regular, amountsOf(resources?.[what]))
  let [sidecars, first] = [amountsOf(), amountsOf()]
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources?.[what])
    if (restartPolicy === 'Always') {
      regular = sum(regular, own)
      sidecars = sum(sidecars, own)
      first = highest(first, sidecars)
    } else first = highest(first, sum(own, sidecars))
  }
  const amounts = new Map(highest(regular, first))
  for (const [name, amount] of amountsOf(spec.resources?.[what])) if (wholePod.includes(name)) amounts.set(name, amount)
  return amounts
}

/** Adds what the pod's RuntimeClass needs for itself. It raises no limit that is missing. */
export function withOverhead(amounts: Amounts, spec: PodSpec, what: 'limits' | 'requests'): Amounts {
  const overhead = amountsOf(spec.overhead)
  if (what === 'requests') return sum(amounts, overhead)
  return sum(amounts, new Map([...overhead].filter(([name]) => (amounts.get(name)?.nano ?? 0n) !== 0n)))
}
