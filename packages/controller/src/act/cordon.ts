// Keeps the forge from giving a runner another job.
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ActContext } from './context.ts'
import { forgeUnsuccessful, notConnected } from './unsuccessful.ts'

type CordonResult = Extract<Outcome, { action: 'cordon-runner' }>['result']

export async function cordon({ link, signal, leads }: ActContext, registration: Registration): Promise<CordonResult> {
  if (!link) return notConnected
  if (!leads()) return { is: 'aborted' }
  try {
    await link.cordon(registration)
    return { is: 'cordoned' }
  } catch (error) {
    return forgeUnsuccessful(error, signal)
  }
}
