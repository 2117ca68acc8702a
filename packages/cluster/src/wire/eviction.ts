// POST pods/NAME/eviction: deletes a pod unless a PodDisruptionBudget forbids it now.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/core/pod/storage/eviction.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { timestamp } from '@dayfly/kit/timestamp'
import { ApiError, badRequest, conflict, forbidden, notFound } from '../api/errors.ts'
import type { DeleteOptions } from '../api/registry.ts'
import { budgets, coversPod, disruptedPodsOf, syncFailed, withDisruptionCondition } from '../api/values/budget.ts'
import { conditionOf, withCondition } from '../api/values/conditions.ts'
import { integer, objectAt, size, text } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'
import type { Backend, Call } from './call.ts'
import { readDeleteOptions } from './deletion.ts'
import { optionalObject } from './request-body.ts'
import { isDryRun } from './writing.ts'

/** Kubernetes grants no more evictions than this before their pods are gone. */
const disruptedMax = 2_000

const about = { group: 'policy', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudget' }

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
  if (!ignoresBudgets(pod)) takeDisruption(backend, pod, options.dryRun)
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

/** Takes one disruption from the budget of the pod. Throws the 429 if it has none. */
function takeDisruption({ registry, clock }: Backend, pod: StoredObject, isDryRun: boolean): void {
  const { namespace = '', name } = pod.metadata
  const covering = registry.list(budgets, namespace).filter((one) => coversPod(one, pod))
  const [budget] = covering
  if (budget === undefined) return
  if (covering.length > 1) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new ApiError(500, undefined, why)
  }
  if (isReady(pod) || !mayEvictUnhealthy(budget)) {
    const allowed = checkBudget(budget)
    if (isDryRun) return
    const disruptedPods = { ...disruptedPodsOf(budget), [name]: timestamp(clock.now()) }
    const status = { ...objectAt(budget, 'status'), disruptionsAllowed: allowed - 1, disruptedPods }
    const next = allowed === 1 ? withDisruptionCondition({ ...budget, status }, clock.now()) : { ...budget, status }
    registry.update(budgets, next, { subresource: 'status' })
  }
}

/** A pod that is not ready is no part of the healthy ones, so its end disrupts nothing more. */
function mayEvictUnhealthy(budget: StoredObject): boolean {
  if (text(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const needed = integer(budget, 'status', 'desiredHealthy')
  return integer(budget, 'status', 'currentHealthy') >= needed && needed > 0
}

/** Returns how many disruptions the budget allows. Throws if it allows none. */
function checkBudget(budget: StoredObject): number {
  const { name, generation = 0 } = budget.metadata
  if (integer(budget, 'status', 'observedGeneration') < generation) {
    throw violation(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const allowed = integer(budget, 'status', 'disruptionsAllowed')
  if (allowed < 0) throw forbidden(about, name, 'pdb disruptions allowed is negative')
  if (size(budget, 'status', 'disruptedPods') > disruptedMax) {
    throw forbidden(about, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (allowed === 0) throw violation(whyNone(budget))
  return allowed
}

function whyNone(budget: StoredObject): string {
  const { name } = budget.metadata
  const condition = conditionOf(budget, 'DisruptionAllowed')
  if (text(condition, 'reason') === syncFailed) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${text(condition, 'message')}`
  }
  const [needed, healthy] = ['desiredHealthy', 'currentHealthy'].map((part) => integer(budget, 'status', part))
  if (Number(healthy) <= Number(needed)) {
    return `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`
  }
  return `The disruption budget ${name} does not allow evicting pods currently`
}

function violation(message: string, retryAfterSeconds?: number): ApiError {
  const why = "Cannot evict pod as it would violate the pod's disruption budget."
  const causes = [{ reason: 'DisruptionBudget', message }]
  return new ApiError(429, 'TooManyRequests', why, {
    causes,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function isReady(pod: StoredObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True'
}
