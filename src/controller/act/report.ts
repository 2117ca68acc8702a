// Writes the set's status sub-resource.
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { SetStatus } from '../../model/status.ts'
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
