// Writes the set's status sub-resource.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import type { SetStatus } from '@dayfly/runner-set/model/status'
import { runnerSets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type ReportResult = Extract<Outcome, { action: 'report' }>['result']

export async function report({ kubernetes, set, signal }: ActContext, status: SetStatus): Promise<ReportResult> {
  const { namespace, name } = set
  try {
    const patch = { type: 'merge', body: { status } } as const
    await kubernetes.patch(runnerSets, { namespace, name }, patch, {
      subresource: 'status',
      signal,
      metadataOnly: true,
    })
    return { is: 'written' }
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return { is: 'gone' }
    return clusterUnsuccessful(error, signal)
  }
}
