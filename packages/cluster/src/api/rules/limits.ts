// Applies the LimitRanges of a namespace: gives the containers of a new pod their defaults, and refuses pods and claims outside
// of the limits.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/plugin/pkg/admission/limitranger/admission.go
import type { Api } from '../api.ts'
import { forbidden, type Named } from '../errors.ts'
import { type Amounts, amountsOf } from '../values/amounts.ts'
import { field, list, text } from '../values/json.ts'
import type { Quantity } from '../values/quantity.ts'
import type { Draft } from '../verbs/draft.ts'
import { printRatio, quotient } from './limit-range.ts'
import { podAmounts } from './pod/pod-amounts.ts'
import { type Container, specOf } from './pod/pod-spec.ts'

const annotation = 'kubernetes.io/limit-ranger'

/** Sets the default requests and limits of a new pod. An annotation says so. */
export function applyLimits(pod: Draft, api: Api): void {
  const { containers = [], initContainers = [] } = specOf(pod)
  for (const limits of limitsOf(pod, api)) {
    const ofContainers = limits.filter((limit) => text(limit, 'type') === 'Container')
    const requests = ofContainers.flatMap((limit) => [...amountsOf(field(limit, 'defaultRequest'))])
    const defaults = ofContainers.flatMap((limit) => [...amountsOf(field(limit, 'default'))])
    const notes = [
      ...containers.flatMap((container) => fill(container, 'container', requests, defaults)),
      ...initContainers.flatMap((container) => fill(container, 'init container', requests, defaults)),
    ]
    if (notes.length === 0) continue
    const note = `LimitRanger plugin set: ${notes.join('; ')}`
    pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: note }
  }
}

/** Throws the 403 for a pod outside of the limits. */
export function checkPodLimits(pod: Draft, api: Api): void {
  const spec = specOf(pod)
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => ({
    requests: amountsOf(resources?.requests),
    limits: amountsOf(resources?.limits),
  }))
  const whole = { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') }
  refuse(pod, api, pods, (limit) => {
    if (text(limit, 'type') === 'Container') return containers.flatMap((container) => violations(limit, container))
    return text(limit, 'type') === 'Pod' ? violations(limit, whole) : []
  })
}

/** Throws the 403 for a claim outside of the limits. Only its requests count. */
export function checkClaimLimits(claim: Draft, api: Api): void {
  const requests = amountsOf(field(claim, 'spec', 'resources', 'requests'))
  refuse(claim, api, claims, (limit) => {
    if (text(limit, 'type') !== 'PersistentVolumeClaim') return []
    return [
      ...each(limit, 'min', (rule) => belowMin(rule, { requests, limits: amountsOf() })),
      ...each(limit, 'max', (rule) => aboveMax(rule, { requests, limits: requests }, 'request')),
    ]
  })
}

const pods: Named = { group: '', plural: 'pods', kind: 'Pod' }
const claims: Named = { group: '', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' }

type Used = { readonly requests: Amounts; readonly limits: Amounts }

function refuse(draft: Draft, api: Api, kind: Named, problemsOf: (limit: unknown) => readonly string[]): void {
  for (const limits of limitsOf(draft, api)) {
    const problems = limits.flatMap(problemsOf)
    if (problems.length === 0) continue
    const why = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
    throw forbidden(kind, draft.metadata.name ?? '', why ?? '')
  }
}

function limitsOf({ metadata }: Draft, api: Api): readonly (readonly unknown[])[] {
  return api.store.list('limitranges', { namespace: metadata.namespace }).map((range) => list(range, 'spec', 'limits'))
}

type Defaults = readonly (readonly [string, Quantity])[]

function fill(container: Container, what: string, requests: Defaults, limits: Defaults): readonly string[] {
  const { resources = {} } = container
  container.resources = resources
  const add = (part: 'requests' | 'limits', defaults: Defaults): readonly string[] => {
    const known = resources[part] ?? {}
    const missing = [...new Map(defaults.filter(([name]) => !Object.hasOwn(known, name)))]
    if (missing.length === 0) return []
    resources[part] = { ...known, ...Object.fromEntries(missing.map(([name, amount]) => [name, amount.text])) }
    const names = missing.map(([name]) => name).sort()
    return [`${names.join(', ')} ${part === 'requests' ? 'request' : 'limit'} for ${what} ${container.name}`]
  }
  return [...add('requests', requests), ...add('limits', limits)]
}

/** A bound of one resource. */
type Rule = { readonly type: string; readonly name: string; readonly bound: Quantity }

function each(limit: unknown, part: string, check: (rule: Rule) => string | undefined): readonly string[] {
  const type = text(limit, 'type')
  return [...amountsOf(field(limit, part))].flatMap(([name, bound]) => check({ type, name, bound }) ?? [])
}

function violations(limit: unknown, used: Used): readonly string[] {
  return [
    ...each(limit, 'min', (rule) => belowMin(rule, used)),
    ...each(limit, 'max', (rule) => aboveMax(rule, used, 'limit')),
    ...each(limit, 'maxLimitRequestRatio', (rule) => aboveRatio(rule, used)),
  ]
}

function belowMin({ type, name, bound }: Rule, { requests, limits }: Used): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const head = `minimum ${name} usage per ${type} is ${bound.text}`
  if (request === undefined) return `${head}.  No request is specified`
  if (request.nano < bound.nano) return `${head}, but request is ${request.text}`
  return limit !== undefined && limit.nano < bound.nano ? `${head}, but limit is ${limit.text}` : undefined
}

/** @param measured what must not be missing: the limit of a container, the request of a claim. */
function aboveMax({ type, name, bound }: Rule, { requests, limits }: Used, measured: string): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const head = `maximum ${name} usage per ${type} is ${bound.text}`
  if (limit === undefined) return `${head}.  No ${measured} is specified`
  if (limit.nano > bound.nano) return `${head}, but ${measured} is ${limit.text}`
  return request !== undefined && request.nano > bound.nano ? `${head}, but request is ${request.text}` : undefined
}

function aboveRatio({ type, name, bound }: Rule, { requests, limits }: Used): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const head = `${name} max limit to request ratio per ${type} is ${bound.text}`
  if (request === undefined || request.nano === 0n) return `${head}, but no request is specified or request is 0`
  if (limit === undefined || limit.nano === 0n) return `${head}, but no limit is specified or limit is 0`
  const ratio = quotient(limit, request)
  return ratio > Number(bound.nano) / 1e9 ? `${head}, but provided ratio is ${printRatio(ratio)}` : undefined
}
