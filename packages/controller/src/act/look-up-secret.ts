// Looks for the Secret of a pod that another process created: its start may have been cut short before the Secret.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { secrets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type LookUpResult = Extract<Outcome, { action: 'look-up-secret' }>['result']

export async function lookUpSecret({ kubernetes, set, signal }: ActContext, name: string): Promise<LookUpResult> {
  try {
    await kubernetes.get(secrets, { namespace: set.namespace, name }, { signal, metadataOnly: true })
    return { is: 'present' }
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return { is: 'absent' }
    return clusterUnsuccessful(error, signal)
  }
}
