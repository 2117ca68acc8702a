// Reads /metrics of the controllers' pods, as Prometheus does: each pod at its own address.
import { textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'

/** Returns the lines of all controllers. A pod that has no address yet has none. */
export async function metricsOf(controllers: readonly KubeObject[]): Promise<readonly string[]> {
  const each = controllers.map(async (pod) => {
    const address = textAt(pod, 'status', 'podIP')
    if (address === undefined) return ''
    return (await fetch(`http://${address}:8080/metrics`)).text()
  })
  return (await Promise.all(each)).join('\n').split('\n')
}
