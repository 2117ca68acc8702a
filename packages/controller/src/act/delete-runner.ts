// Deletes the Secret, then the pod. In this order the garbage collector finds nothing to do (docs/reference/experiments.md#e2).
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { PodTarget } from '@dayfly/runner-set/model/action'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { pods, secrets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type DeleteResult = Extract<Outcome, { action: 'delete-runner' }>['result']

/** @param pod the pod that the decision was about: another pod of that name is left alone */
export async function deleteRunner(context: ActContext, name: string, pod: PodTarget): Promise<DeleteResult> {
  const { kubernetes, set, signal } = context
  const at = { namespace: set.namespace, name }
  const { uid, resourceVersion } = pod
  const preconditions = resourceVersion === undefined ? { uid } : { uid, resourceVersion }
  try {
    await kubernetes.delete(secrets, at, { signal, metadataOnly: true })
    const answer = await kubernetes.delete(pods, at, { signal, preconditions, metadataOnly: true })
    return { is: answer === 'absent' ? 'deleted' : answer }
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'conflict') return { is: 'conflict' }
    return clusterUnsuccessful(error, signal)
  }
}
