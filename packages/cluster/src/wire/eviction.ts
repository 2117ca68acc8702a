// POST pods/NAME/eviction: deletes a pod unless a PodDisruptionBudget forbids it now.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/core/pod/storage/eviction.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { timestamp } from '@dayfly/kit/timestamp'
import { ApiError, badRequest, conflict, notFound } from '../api/errors.ts'
import type { DeleteOptions, Registry } from '../api/registry.ts'
import { conditionOf, withCondition } from '../api/values/conditions.ts'
import { field, objectAt, text } from '../api/values/json.ts'
import { matchesLabels } from '../api/values/match-labels.ts'
import type { StoredObject } from '../store/object.ts'
import type { Call } from './call.ts'
import { readDeleteOptions } from './deletion.ts'
import { optionalObject } from './request-body.ts'
import { isDryRun } from './writing.ts'

export function evictionAnswer({ backend, request, route }: Call): Answer {
  const { registry } = backend
  const body = optionalObject(request, 'Eviction') ?? {}
  if (text(body, 'metadata', 'name') !== route.name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  const given = readDeleteOptions(objectAt(body, 'deleteOptions'))
  const options = { ...given, dryRun: given.dryRun === true || isDryRun(request) }
  const pod = registry.get('pods', route.namespace, route.name)
  if (pod === undefined) throw notFound(route.kind, route.name)
  if (!ignoresBudgets(pod)) checkBudgets(registry, pod)
  if (!options.dryRun)
    registry.update('pods', evicted(pod, options, timestamp(backend.clock.now())), { subresource: 'status' })
  registry.delete('pods', route.namespace, route.name, withoutVersion(options))
  return jsonAnswer(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

/** A pod that has ended, has not started, or is being deleted disrupts nothing. */
function ignoresBudgets({ metadata, ...pod }: StoredObject): boolean {
  const phase = text(pod, 'status', 'phase')
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(phase)
}

/** Returns the pod with the condition that explains its end. Throws the 409 of a precondition. */
function evicted(pod: StoredObject, { preconditions }: DeleteOptions, now: string): StoredObject {
  const { name, uid, resourceVersion } = pod.metadata
  const refuse = (what: string, wanted: string, known: string, then: string): ApiError => {
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${known}). The object might have been ${then}`
    return conflict({ group: '', kind: 'Pod' }, name, why)
  }
  const { uid: wanted = '', resourceVersion: version = '' } = preconditions ?? {}
  if (wanted !== '' && wanted !== uid) throw refuse('UID', wanted, uid, 'deleted and then recreated')
  if (version !== '' && version !== resourceVersion) {
    throw refuse('ResourceVersion', version, resourceVersion, 'modified')
  }
  return withCondition(pod, {
    ...{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: now },
    ...{ reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
  })
}

/** The condition has changed the version that the client named. */
function withoutVersion(options: DeleteOptions & { readonly dryRun: boolean }): DeleteOptions {
  const { resourceVersion: _, ...preconditions } = options.preconditions ?? {}
  return options.dryRun ? options : { ...options, preconditions }
}

/** Counts the pods of the budget now: no controller keeps its status. */
function checkBudgets(registry: Registry, pod: StoredObject): void {
  const { namespace = '' } = pod.metadata
  const budgets = registry.list('poddisruptionbudgets.policy', namespace).filter((budget) => covers(budget, pod))
  const [budget] = budgets
  if (budget === undefined) return
  if (budgets.length > 1) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new ApiError(500, undefined, why)
  }
  const pods = registry.list('pods', namespace).filter((one) => covers(budget, one))
  const healthy = pods.filter(isHealthy).length
  const needed = neededBy(budget, pods.length)
  if (!isHealthy(pod)) {
    if (text(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return
    if (healthy >= needed && needed > 0) return
  }
  if (healthy > needed) return
  const message = `The disruption budget ${budget.metadata.name} needs ${needed} healthy pods and has ${healthy} currently`
  const causes = [{ reason: 'DisruptionBudget', message }]
  const why = "Cannot evict pod as it would violate the pod's disruption budget."
  throw new ApiError(429, 'TooManyRequests', why, { causes })
}

function covers(budget: StoredObject, { metadata }: StoredObject): boolean {
  return matchesLabels(field(budget, 'spec', 'selector'), metadata.labels)
}

function isHealthy(pod: StoredObject): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionOf(pod, 'Ready')?.['status'] === 'True'
}

/** Returns how many pods must stay healthy. A percentage counts the pods that exist now. */
function neededBy(budget: StoredObject, pods: number): number {
  const unavailable = field(budget, 'spec', 'maxUnavailable')
  if (unavailable === undefined) return amount(field(budget, 'spec', 'minAvailable') ?? 1, pods)
  return Math.max(0, pods - amount(unavailable, pods))
}

function amount(value: unknown, of: number): number {
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(String(value))?.[1]
  return percent === undefined ? 0 : Math.ceil((Number(percent) / 100) * of)
}
