// Removes a registration at the forge.
import type { DeregisterOutcome } from '@dayfly/runner-set/model/outcome'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ActContext } from './context.ts'
import { forgeUnsuccessful, notConnected } from './unsuccessful.ts'

export async function deregister(
  { link, signal, leads }: ActContext,
  registration: Registration,
): Promise<DeregisterOutcome> {
  if (!link) return notConnected
  if (!leads()) return { is: 'aborted' }
  try {
    return { is: await link.deregister(registration) }
  } catch (error) {
    return forgeUnsuccessful(error, signal)
  }
}
