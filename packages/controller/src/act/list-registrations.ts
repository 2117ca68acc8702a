// Lists every registration of the set at the forge.
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import type { ActContext } from './context.ts'
import { forgeUnsuccessful, notConnected } from './unsuccessful.ts'

type ListResult = Extract<Outcome, { action: 'list-registrations' }>['result']

export async function listRegistrations({ link, decidedAt, signal }: ActContext): Promise<ListResult> {
  if (!link) return notConnected
  try {
    return { is: 'listed', registrations: await link.registrations(), askedAt: decidedAt }
  } catch (error) {
    return forgeUnsuccessful(error, signal)
  }
}
