// Writes the set's status sub-resource.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import type { SetStatus } from '@dayfly/runner-set/model/status'
import { writeStatus } from '../write-status.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type ReportResult = Extract<Outcome, { action: 'report' }>['result']

export async function report({ kubernetes, set, signal }: ActContext, status: SetStatus): Promise<ReportResult> {
  try {
    await writeStatus(kubernetes, set, status, signal)
    return { is: 'written' }
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return { is: 'gone' }
    return clusterUnsuccessful(error, signal)
  }
}
