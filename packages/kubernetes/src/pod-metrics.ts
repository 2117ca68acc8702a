// Lists the present usage of pods, from the metrics API (https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/).
// Its lists have no resourceVersion and no pages, so the client's `list` refuses them.
import { asJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { collectionPath } from './path.ts'
import { errorOfBadAnswer } from './refusal.ts'
import { type Connection, createSend } from './send.ts'
import type { Resource } from './types.ts'

export const podMetrics: Resource = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  plural: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
}

type MetricsOptions = {
  readonly namespace: string
  readonly labelSelector: string
  readonly signal: AbortSignal
}

/** Rejects with a KubernetesError or with the signal's reason. `not-found` and `unavailable` also mean that the cluster has no metrics API. */
export interface PodMetrics {
  /** Resolves with the items as the server sent them. A pod without metrics is absent. */
  list(options: MetricsOptions): Promise<readonly JsonObject[]>
}

export function createPodMetrics(connection: Connection): PodMetrics {
  const send = createSend(connection)
  return {
    list: async ({ namespace, labelSelector, signal }) => {
      const path = collectionPath(podMetrics, namespace)
      const { body } = await send({ method: 'GET', path, query: { labelSelector }, signal })
      const items = body.kind === 'json' ? asJsonObject(body.value)?.['items'] : undefined
      if (!Array.isArray(items)) throw errorOfBadAnswer(`${path}: the answer has no list of metrics`, false)
      return items.map(asJsonObject).filter((item) => item !== undefined)
    },
  }
}
