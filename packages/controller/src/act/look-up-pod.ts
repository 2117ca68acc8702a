// Reads the pod whose creation had no response. The name is ours alone, so a pod of that name is ours.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { pods } from '../resources.ts'
import type { ActContext } from './context.ts'
import { factsOf } from './start-runner.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type LookUpResult = Extract<Outcome, { action: 'look-up-pod' }>['result']

export async function lookUpPod({ kubernetes, set, signal }: ActContext, name: string): Promise<LookUpResult> {
  try {
    const pod = factsOf(await kubernetes.get(pods, { namespace: set.namespace, name }, { signal }))
    return pod ? { is: 'present', pod } : { is: 'absent' }
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return { is: 'absent' }
    return clusterUnsuccessful(error, signal)
  }
}
