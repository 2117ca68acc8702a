// Makes the two writes of a repair. The API server refuses each one if the object has changed since the plan.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Inquiry } from '@dayfly/kubernetes/inquiry'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { Action, Target } from './step.ts'

type Performance = {
  readonly action: Extract<Action, { readonly target: Target }>
  /** The target of the plan, at its current version. */
  readonly target: Target
  /** The object at that version. */
  readonly image: KubeObject
  readonly dryRun: boolean
  readonly signal: AbortSignal | undefined
}

/** The writer's name in `managedFields` and Events. A DELETE has no such field; there the user agent names the writer. */
export const fieldManager = 'dayfly-doctor'

export async function perform(kubernetes: Kubernetes, performance: Performance): Promise<void> {
  const { action, target, image, dryRun, signal } = performance
  const { uid, resourceVersion } = target
  if (action.do === 'delete') {
    const { gracePeriodSeconds } = action
    await kubernetes.delete(target.resource, at(target), {
      preconditions: { uid, resourceVersion },
      propagationPolicy: 'Background',
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      dryRun,
      signal,
    })
    return
  }
  const index = image.metadata.finalizers?.indexOf(action.finalizer) ?? -1
  if (index < 0) throw new KubernetesError('conflict', `it no longer has the finalizer ${action.finalizer}`)
  const path = `/metadata/finalizers/${index}`
  const operations = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'test', path, value: action.finalizer },
    { op: 'remove', path },
  ]
  await kubernetes.patch(target.resource, at(target), { type: 'json', operations }, { dryRun, fieldManager, signal })
}

/** The connection that looks up single objects. */
export type Place = {
  readonly kubernetes: Kubernetes
  readonly inquiry: Pick<Inquiry, 'versionsOf'>
  readonly signal?: AbortSignal | undefined
}

/** Returns undefined if no object has this name. Throws every other refusal. */
export async function find(
  { kubernetes, inquiry, signal }: Place,
  target: Pick<Target, 'resource' | 'namespace' | 'name'>,
): Promise<KubeObject | undefined> {
  try {
    return await kubernetes.get(target.resource, at(target), { signal })
  } catch (error) {
    if (!(error instanceof KubernetesError) || (error.kind !== 'not-found' && error.kind !== 'forbidden')) throw error
    if (error.kind === 'not-found' && error.about === target.name) return undefined
    // A 404 for the path alone proves nothing. A kind that is not served has no objects.
    if ((await inquiry.versionsOf(target.resource, signal)).length === 0) return undefined
    throw error
  }
}

/** Returns undefined also if another object has the name now. */
export async function findSame(place: Place, target: Omit<Target, 'resourceVersion'>): Promise<KubeObject | undefined> {
  const object = await find(place, target)
  return object?.metadata.uid === target.uid ? object : undefined
}

function at({ namespace, name }: Pick<Target, 'namespace' | 'name'>) {
  return namespace === undefined ? { name } : { namespace, name }
}
