// The metrics API: the present usage of pods, measured when it is asked for.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/metrics/pkg/apis/metrics/v1beta1/types.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { timestamp } from '@dayfly/kit/timestamp'
import { notFound } from '../api/errors.ts'
import { apiVersionOf } from '../api/kind.ts'
import type { PodUsage } from '../api/node.ts'
import { parseSelectors } from '../api/verbs/selectors.ts'
import type { StoredObject } from '../store/object.ts'
import { type Call, listObject, objectAnswer, tableMaker } from './call.ts'
import { listOptions } from './list-options.ts'
import { notAcceptable } from './negotiation.ts'

export const podMetrics = 'pods.metrics.k8s.io'

/** A pod without a usage has no metrics. The list has no resourceVersion, as that of a metrics-server. */
export async function podMetricsAnswer(call: Call): Promise<Answer> {
  const { route, request, accepted } = call
  const { kind, name } = route
  const isOfOne = name !== ''
  const { labelSelector, fieldSelector } = listOptions(request.query, 'list')
  const matches = parseSelectors(kind, { labelSelector, fieldSelector }) ?? (() => true)
  const metrics = (await metricsOf(call)).filter((one) => (isOfOne ? one.metadata.name === name : matches(one)))
  const [only] = metrics
  if (isOfOne) {
    if (!only) throw notFound(kind, name)
    return objectAnswer(call, 200, only)
  }
  if (accepted === 'table') return jsonAnswer(200, tableMaker(call)(metrics, {}, true))
  if (accepted !== 'json') throw notAcceptable('only the following media types are accepted: application/json')
  return jsonAnswer(200, listObject(route, metrics, {}))
}

async function metricsOf({ backend: { registry, node }, route }: Call): Promise<readonly StoredObject[]> {
  const usages = new Map((await node.usage()).map((usage) => [usage.pod, usage]))
  return registry.list('pods', route.namespace).flatMap((pod) => {
    const usage = usages.get(pod.metadata.uid)
    return usage ? [objectOf(route, pod, usage)] : []
  })
}

function objectOf({ kind, version }: Call['route'], pod: StoredObject, usage: PodUsage): StoredObject {
  const { name, namespace, labels } = pod.metadata
  const metadata = { name, namespace, creationTimestamp: timestamp(usage.at), ...(labels ? { labels } : {}) }
  return {
    apiVersion: apiVersionOf(kind, version),
    kind: kind.kind,
    // Metrics are not stored, so they have no identity.
    metadata: metadata as StoredObject['metadata'],
    timestamp: timestamp(usage.at),
    window: `${usage.windowMs / 1_000}s`,
    containers: usage.containers.map(({ name: container, cpu, memoryBytes }) => ({
      name: container,
      usage: { cpu: `${Math.round(cpu * 1e9)}n`, memory: `${Math.round(memoryBytes / 1_024)}Ki` },
    })),
  }
}
