// Finds the owner of a pod, and checks that the owner knows the pod. Anyone who may create pods can write any owner reference into one.
import { fieldsAt, textAt } from '@dayfly/kit/read-json'
import type { OwnerReference } from '@dayfly/kubernetes/types'
import type { ObjectFact } from '../facts.ts'
import { type Cluster, controllerOf } from './cluster.ts'

export type PodOwner =
  /** The pod names no controller. */
  | { readonly is: 'none' }
  /** The named controller is neither a Job nor an EphemeralRunner, so no repair may act on it. */
  | { readonly is: 'other'; readonly reference: OwnerReference }
  /** No object has the uid of the reference. */
  | { readonly is: 'gone'; readonly reference: OwnerReference }
  | { readonly is: 'unreadable'; readonly because: string }
  /** The owner exists but does not point back at the pod. */
  | { readonly is: 'unconfirmed'; readonly because: string }
  | { readonly is: 'confirmed'; readonly reference: OwnerReference; readonly owner: ObjectFact }

/** Resolves the controller of a pod. A repair may act on the owner only if it is `confirmed`. */
export function podOwner(cluster: Cluster, pod: ObjectFact): PodOwner {
  const reference = controllerOf(pod)
  if (!reference) return { is: 'none' }
  const check = checks[`${reference.apiVersion.replace(/\/.*$/, '')} ${reference.kind}`]
  if (!check) return { is: 'other', reference }
  const { namespace } = pod.object
  const unread = cluster.unreadReason(reference.kind, namespace)
  if (unread !== undefined) return { is: 'unreadable', because: unread }
  const owner = cluster.find({ kind: reference.kind, namespace, name: reference.name })
  if (!owner || owner.object.uid !== reference.uid) return { is: 'gone', reference }
  const because = check(owner, pod)
  return because === undefined ? { is: 'confirmed', reference, owner } : { is: 'unconfirmed', because }
}

/** Returns why an owner does not point back at the pod; undefined if it does. */
type Check = (owner: ObjectFact, pod: ObjectFact) => string | undefined

const checks: Readonly<Record<string, Check>> = {
  'batch Job': checkJob,
  'actions.github.com EphemeralRunner': checkRunner,
}

/** ARC gives a runner's pod the name of its EphemeralRunner, and notes that name in the runner's status. */
function checkRunner({ object, raw }: ObjectFact, pod: ObjectFact): string | undefined {
  const registered = textAt(raw, 'status', 'runnerName') ?? object.name
  if (pod.object.name === object.name && pod.object.name === registered) return undefined
  return `it names EphemeralRunner ${object.name} as its owner, but that runner's pod has another name`
}

/** The Job controller counts exactly the pods that match the Job's selector. The API server always sets a selector. */
function checkJob({ object, raw }: ObjectFact, pod: ObjectFact): string | undefined {
  const labels = fieldsAt(raw, 'spec', 'selector', 'matchLabels') ?? {}
  const matches = Object.keys(labels).every((key) => textAt(pod.raw, 'metadata', 'labels', key) === labels[key])
  return matches ? undefined : `it names Job ${object.name} as its owner, but the Job's selector does not match it`
}
