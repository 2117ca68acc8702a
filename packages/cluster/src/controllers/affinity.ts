// Decides whether a pod may be on a node beside the pods that are there, and how much it prefers to (Kubernetes: pkg/scheduler/framework/plugins/interpodaffinity).
import { isObject, objects } from '../api/values/json.ts'
import { matchesLabels } from '../api/values/match-labels.ts'
import type { StoredObject } from '../store/object.ts'

export type Placed = { readonly pod: StoredObject; readonly node: string }

/** The cluster as the decision reads it. */
export type Surroundings = {
  node(name: string): StoredObject | undefined
  namespaceLabels(name: string): Readonly<Record<string, string>>
  /** All pods that have a node. */
  placed(): Iterable<Placed>
  /** The pods that have a node and keep others away from it. */
  apart(): Iterable<Placed>
}

type Term = Readonly<Record<string, unknown>>

const required = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'

/** The obstacles that stay only until other pods end. */
export const passing: readonly string[] = [
  "node(s) didn't match pod anti-affinity rules",
  "node(s) didn't satisfy existing pods anti-affinity rules",
]

/** Returns why the pod cannot be on the node, in the scheduler's words. */
export function affinityObstacle(pod: StoredObject, node: StoredObject, around: Surroundings): string | undefined {
  const near = (term: Term, owner: StoredObject) => inDomain(around, node, term, owner)
  const wanted = termsOf(pod, 'podAffinity', required)
  // The first pod of a group that wants to be together may be anywhere.
  const isFirst = () => wanted.every((term) => matches(around, term, pod, pod) && none(around, term, pod))
  const isTogether = wanted.every((term) => near(term, pod).length > 0)
  if (wanted.length > 0 && !isTogether && !isFirst()) return "node(s) didn't match pod affinity rules"
  if (termsOf(pod, 'podAntiAffinity', required).some((term) => near(term, pod).length > 0)) return passing[0]
  for (const other of around.apart()) {
    const domain = (term: Term) => domainOf(around.node(other.node), term)
    const refuses = (term: Term) =>
      domain(term) !== undefined && domain(term) === domainOf(node, term) && matches(around, term, other.pod, pod)
    if (termsOf(other.pod, 'podAntiAffinity', required).some(refuses)) return passing[1]
  }
  return undefined
}

/** Whether the pod keeps others away from its node. */
export function keepsApart(pod: StoredObject): boolean {
  return termsOf(pod, 'podAntiAffinity', required).length > 0
}

/** Whether a new neighbour may let the pod be scheduled. */
export function wantsNeighbour(pod: StoredObject): boolean {
  return termsOf(pod, 'podAffinity', required).length > 0
}

/** Returns how much the pod prefers the node: the weights of its preferences, once for each pod that they match there. */
export function preferenceFor(pod: StoredObject, node: StoredObject, around: Surroundings): number {
  const sum = (kind: string) =>
    termsOf(pod, kind, preferred).reduce((total, { weight, podAffinityTerm }) => {
      if (!isObject(podAffinityTerm)) return total
      return total + Number(weight) * inDomain(around, node, podAffinityTerm, pod).length
    }, 0)
  return sum('podAffinity') - sum('podAntiAffinity')
}

function termsOf(pod: StoredObject, kind: string, when: string): readonly Term[] {
  return objects(pod, 'spec', 'affinity', kind, when)
}

/** Returns the pods that the term matches in the node's topology domain. */
function inDomain(around: Surroundings, node: StoredObject, term: Term, owner: StoredObject): readonly Placed[] {
  const domain = domainOf(node, term)
  if (domain === undefined) return []
  return [...around.placed()].filter(
    (other) => domainOf(around.node(other.node), term) === domain && matches(around, term, owner, other.pod),
  )
}

function none(around: Surroundings, term: Term, owner: StoredObject): boolean {
  return ![...around.placed()].some(({ pod }) => matches(around, term, owner, pod))
}

function domainOf(node: StoredObject | undefined, term: Term): string | undefined {
  return node?.metadata.labels?.[String(term['topologyKey'])]
}

/** Whether a term of `owner` matches the other pod. */
function matches(around: Surroundings, term: Term, owner: StoredObject, other: StoredObject): boolean {
  const labels = other.metadata.labels ?? {}
  const same = (key: string) => owner.metadata.labels?.[key] === labels[key]
  const own = (name: string) => strings(term[name]).filter((key) => owner.metadata.labels?.[key] !== undefined)
  return (
    inNamespaces(around, term, owner, other.metadata.namespace ?? '') &&
    matchesLabels(term['labelSelector'], labels) &&
    own('matchLabelKeys').every(same) &&
    !own('mismatchLabelKeys').some(same)
  )
}

function inNamespaces(around: Surroundings, term: Term, owner: StoredObject, namespace: string): boolean {
  const names = strings(term['namespaces'])
  const selector = term['namespaceSelector']
  if (names.length === 0 && selector === undefined) return namespace === owner.metadata.namespace
  return names.includes(namespace) || matchesLabels(selector, around.namespaceLabels(namespace))
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
