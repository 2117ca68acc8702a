// The scopes of a quota: it counts only the pods (or claims) that match all of them.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/quota/v1/evaluator/core/pods.go
import type { ResourceKey, StoredObject } from '../../store/object.ts'
import { specOf } from '../rules/pod/pod-spec.ts'
import { qosClassOf } from '../rules/pod/resources.ts'
import { field, list, size, text } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'

type Measured = Draft | StoredObject

export type Scope = { readonly name: string; readonly operator: string; readonly values: readonly string[] }

/** Returns all scopes of a quota. A plain scope means that its condition holds. */
export function scopesOf(quota: Measured): readonly Scope[] {
  const plain = list(quota, 'spec', 'scopes').map((name) => ({ name: String(name), operator: 'Exists', values: [] }))
  const selected = list(quota, 'spec', 'scopeSelector', 'matchExpressions').map((requirement) => ({
    name: text(requirement, 'scopeName'),
    operator: text(requirement, 'operator'),
    values: list(requirement, 'values').map(String),
  }))
  return [...plain, ...selected]
}

export function matchesScope(resource: ResourceKey, object: Measured, scope: Scope): boolean {
  if (resource === 'pods') return matchesPod(object, scope)
  const isOfClaims = resource === 'persistentvolumeclaims' && scope.name === 'VolumeAttributesClass'
  return isOfClaims && matchesName(text(object, 'spec', 'volumeAttributesClassName'), scope)
}

function matchesPod(pod: Measured, scope: Scope): boolean {
  const spec = specOf(pod)
  switch (scope.name) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort'
    case 'PriorityClass':
      return matchesName(spec.priorityClassName ?? '', scope)
    case 'CrossNamespacePodAffinity':
      return ['podAffinity', 'podAntiAffinity'].some((kind) => crossesNamespaces(field(spec, 'affinity', kind)))
    default:
      return false
  }
}

/** Returns whether the pod has a deadline. It may change later. */
export function isTerminating(pod: Measured): boolean {
  return specOf(pod).activeDeadlineSeconds !== undefined
}

function matchesName(name: string, { operator, values }: Scope): boolean {
  switch (operator) {
    case 'In':
      return name !== '' && values.includes(name)
    case 'NotIn':
      return name === '' || !values.includes(name)
    case 'DoesNotExist':
      return name === ''
    default:
      return name !== ''
  }
}

function crossesNamespaces(affinity: unknown): boolean {
  const required = list(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')
  const preferred = list(affinity, 'preferredDuringSchedulingIgnoredDuringExecution')
  return [...required, ...preferred.map((term) => field(term, 'podAffinityTerm'))].some(
    (term) => size(term, 'namespaceSelector') > 0 || list(term, 'namespaces').length > 0,
  )
}
