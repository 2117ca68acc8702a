// Reads the cluster for the operators' commands. A failed read names its verb and resource, and an optional one leaves its part unknown.
import type { Clock } from '@dayfly/kit/clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes, ListOptions } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'

/** The cluster that a command reads, and the time by which it judges ages. */
export type Cluster = {
  readonly kubernetes: Kubernetes
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/** A part of a situation that may be missing. `why` completes a sentence. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string }

export type Verb = 'get' | 'list' | 'patch' | 'delete'

/** One verb on one kind. `name` is absent for a list, `namespace` for all namespaces. */
export type Access = {
  readonly verb: Verb
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly name?: string
}

/** A call to the API server failed. */
export class AccessFailure extends Error {
  readonly access: Access
  readonly error: KubernetesError

  constructor(access: Access, error: KubernetesError) {
    super(error.message, { cause: error })
    this.name = 'AccessFailure'
    this.access = access
    this.error = error
  }
}

/** Returns the end of a sentence: `list pods in namespace ci`. */
export function describeAccess({ verb, resource: { group, plural }, namespace, name }: Access): string {
  const kind = group === '' ? plural : `${plural}.${group}`
  const what = name === undefined ? kind : `${kind}/${name}`
  return `${verb} ${what}${namespace === undefined ? ' in all namespaces' : ` in namespace ${namespace}`}`
}

/** Makes one call. Throws an `AccessFailure` if the API server refuses it or does not respond. */
export async function attempt<T>(access: Access, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof KubernetesError) throw new AccessFailure(access, error)
    throw error
  }
}

export async function listAll(
  { kubernetes, signal }: Cluster,
  resource: Resource,
  options: Omit<ListOptions, 'signal'>,
): Promise<readonly KubeObject[]> {
  const access: Access = { verb: 'list', resource, namespace: options.namespace }
  return (await attempt(access, () => kubernetes.list(resource, { ...options, signal }))).items
}

/** Returns undefined if the API server proves that there is no such object. */
export async function getOne(
  { kubernetes, signal }: Cluster,
  resource: Resource,
  at: { readonly namespace: string; readonly name: string },
): Promise<KubeObject | undefined> {
  try {
    return await attempt({ verb: 'get', resource, ...at }, () => kubernetes.get(resource, at, { signal }))
  } catch (error) {
    if (error instanceof AccessFailure && error.error.kind === 'not-found' && error.error.about === at.name)
      return undefined
    throw error
  }
}

/** Turns a failed read into an unknown part. */
export async function orUnknown<T>(read: Promise<T>): Promise<Known<T>> {
  try {
    return { known: true, value: await read }
  } catch (error) {
    if (!(error instanceof AccessFailure)) throw error
    return { known: false, why: whyUnread(error) }
  }
}

function whyUnread({ access, error }: AccessFailure): string {
  if (error.kind === 'forbidden' || error.kind === 'unauthorized') return `you may not ${describeAccess(access)}`
  return `${describeAccess(access)} failed: ${error.message}`
}
