// The amounts that an object uses of the resources that quotas limit.
// Source: https://github.com/kubernetes/kubernetes/tree/release-1.36/pkg/quota/v1/evaluator/core
import type { ResourceKey, StoredObject } from '../../store/object.ts'
import { podAmounts, withOverhead } from '../rules/pod/pod-amounts.ts'
import { type Container, type PodSpec, specOf } from '../rules/pod/pod-spec.ts'
import { type Amounts, amountsOf, countOf } from '../values/amounts.ts'
import { field, list, text } from '../values/json.ts'
import { hasEnded } from '../values/pod-state.ts'
import type { Quantity } from '../values/quantity.ts'
import type { Draft } from '../verbs/draft.ts'

type Measured = Draft | StoredObject

const claims = 'persistentvolumeclaims'
const perClass = '.storageclass.storage.k8s.io/'

/** Resources that a quota names without `count/`, and the kind that uses them. */
const simple: ReadonlyMap<string, ResourceKey> = new Map([
  ...['pods', 'cpu', 'memory', 'ephemeral-storage'].map((name) => [name, 'pods'] as const),
  ...['secrets', 'configmaps', 'resourcequotas', 'services', 'replicationcontrollers'].map(
    (name) => [name, name] as const,
  ),
  ...['services.nodeports', 'services.loadbalancers'].map((name) => [name, 'services'] as const),
  ...[claims, 'requests.storage'].map((name) => [name, claims] as const),
])

/** Resources that every container must request or limit if a quota names them. */
const demanded: readonly string[] = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory']

/** Returns the kind that uses this resource of a quota, or undefined if none does. */
export function userOf(name: string): ResourceKey | undefined {
  if (name.startsWith('count/')) return name.slice('count/'.length)
  if (name.includes(perClass)) return claims
  const known = simple.get(name)
  if (known !== undefined) return known
  return /^(requests|limits)\.|^hugepages-/.test(name) ? 'pods' : undefined
}

export function usageOf(resource: ResourceKey, object: Measured): Amounts {
  const one = countOf(1)
  const own: readonly (readonly [string, Quantity])[] = simple.get(resource) === resource ? [[resource, one]] : []
  const counts = new Map([[`count/${resource}`, one], ...own])
  switch (resource) {
    case 'pods':
      return hasEnded(object) ? new Map([['count/pods', one]]) : new Map([...counts, ...podUsage(specOf(object))])
    case 'services':
      return new Map([...counts, ...serviceUsage(object)])
    case claims:
      return new Map([...counts, ...claimUsage(object)])
    default:
      return counts
  }
}

/** Returns the demanded resources that containers do not have, each with the names of these containers. */
export function lacking(spec: PodSpec, names: readonly string[]): string {
  if (spec.resources !== undefined) return ''
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return demanded
    .filter((name) => names.includes(name))
    .map((name) => ({ name, without: all.filter((container) => !has(container, name)).map((one) => one.name ?? '') }))
    .filter(({ without }) => without.length > 0)
    .map(({ name, without }) => `${name} for: ${[...new Set(without)].sort().join(',')}`)
    .join('; ')
}

function has({ resources = {} }: Container, name: string): boolean {
  return computeUsage(amountsOf(resources.requests), amountsOf(resources.limits)).has(name)
}

function podUsage(spec: PodSpec): Amounts {
  return computeUsage(
    withOverhead(podAmounts(spec, 'requests'), spec, 'requests'),
    withOverhead(podAmounts(spec, 'limits'), spec, 'limits'),
  )
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>()
  for (const [name, amount] of requests) {
    usage.set(`requests.${name}`, amount)
    if (!name.includes('/')) usage.set(name, amount)
  }
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const limit = limits.get(name)
    if (limit !== undefined) usage.set(`limits.${name}`, limit)
  }
  return usage
}

function serviceUsage(service: Measured): Amounts {
  const ports = list(service, 'spec', 'ports').length
  switch (text(service, 'spec', 'type')) {
    case 'NodePort':
      return new Map([['services.nodeports', countOf(ports)]])
    case 'LoadBalancer':
      return new Map([
        ['services.nodeports', countOf(ports)],
        ['services.loadbalancers', countOf(1)],
      ])
    default:
      return new Map()
  }
}

function claimUsage(claim: Measured): Amounts {
  const storage = amountsOf(field(claim, 'spec', 'resources', 'requests')).get('storage')
  const usage = new Map<string, Quantity>()
  if (storage !== undefined) usage.set('requests.storage', storage)
  const storageClass = text(claim, 'spec', 'storageClassName')
  if (storageClass === '') return usage
  usage.set(`${storageClass}${perClass}${claims}`, countOf(1))
  if (storage !== undefined) usage.set(`${storageClass}${perClass}requests.storage`, storage)
  return usage
}
