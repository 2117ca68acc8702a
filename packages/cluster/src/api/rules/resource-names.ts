// The names of resources that quotas, limits and containers may use.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/helper/helpers.go
import { qualifiedNameProblems } from '../values/names.ts'

const compute = ['cpu', 'memory', 'ephemeral-storage']
const counts = [
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
]
const ofQuotas = [
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...counts,
]

const ofPods = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const ofClaims = ['persistentvolumeclaims', 'requests.storage']

/** The scopes that a quota may have. */
export const podScopes = [
  ...['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'VolumeAttributesClass'],
  'CrossNamespacePodAffinity',
]

const notStandard = 'must be a standard resource type or fully qualified'

/** Returns why a name is not the name of a resource. */
export function resourceNameProblems(name: string): readonly string[] {
  const problems = qualifiedNameProblems(name)
  if (problems.length > 0 || name.includes('/') || isHugePage(name)) return problems
  return ofQuotas.includes(name) || name === 'storage' ? [] : [notStandard]
}

export function quotaNameProblems(name: string): readonly string[] {
  const known = name.includes('/') || ofQuotas.includes(name) || isHugePage(name)
  return [...resourceNameProblems(name), ...(known ? [] : ['must be a standard resource for quota'])]
}

export function containerNameProblems(name: string): readonly string[] {
  const known = name.includes('/') || compute.includes(name) || name.startsWith('hugepages-')
  return [...resourceNameProblems(name), ...(known ? [] : ['must be a standard resource for containers'])]
}

/** Returns whether the resource is counted in whole things. */
export function isWhole(name: string): boolean {
  return counts.includes(name) || isExtended(name)
}

/** Returns whether a quota of this scope can limit the resource. */
export function scopeLimits(scope: string, name: string): boolean {
  if (!ofQuotas.includes(name) && !isHugePage(name)) return true
  if (scope === 'BestEffort') return name === 'pods'
  if (scope === 'VolumeAttributesClass') return ofClaims.includes(name)
  return !podScopes.includes(scope) || ofPods.includes(name)
}

/** Returns whether containers may request less than their limit of this resource. */
export function mayOvercommit(name: string): boolean {
  return isNative(name) && !name.startsWith('hugepages-')
}

function isHugePage(name: string): boolean {
  return /^(requests\.)?hugepages-/.test(name)
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedNameProblems(`requests.${name}`).length === 0
}
