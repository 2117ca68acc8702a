// Sends the pod of a template to the API server as a dry run. The core judges the response.
import type { KubeObject } from '@dayfly/kubernetes/types'
import { trialPod } from '@dayfly/runner-set/core/template'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { pods } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type CheckResult = Extract<Outcome, { action: 'check-template' }>['result']

export async function checkTemplate({
  kubernetes,
  set,
  signal,
}: Pick<ActContext, 'kubernetes' | 'set' | 'signal'>): Promise<CheckResult> {
  const pod = trialPod(set) as unknown as KubeObject
  const options = { dryRun: true, fieldValidation: 'Strict', fieldManager: 'dayfly', signal } as const
  try {
    const { object } = await kubernetes.create(pods, pod, options)
    return { is: 'accepted', stored: object['spec'] }
  } catch (error) {
    return clusterUnsuccessful(error, signal)
  }
}
