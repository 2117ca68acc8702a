// Reads the account at the forge: the complete answer, or the reason why it is unknown.
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { scaleSetsAt } from '../arc/scale-sets.ts'
import type { ForgeFacts, ObjectFact, Unread } from '../facts.ts'
import { isTerminating } from './cluster.ts'

export type Asking = {
  readonly account: ForgeAccount | undefined
  /** Receives, by kind, the reason for everything that could not be read. */
  readonly unreadable: Record<string, Unread>
  readonly signal: AbortSignal | undefined
}

/** The kinds in `unreadable` that belong to the forge, not to the cluster. */
export const forgeKinds: readonly string[] = ['Registration', 'ScaleSet']

/**
 * Returns undefined if the forge was not asked or did not answer.
 * Call it before the cluster is read. A runner that registers later is then in the cluster, and is not mistaken for an orphan.
 */
export async function askRegistrations(asking: Asking): Promise<ForgeFacts['registrations'] | undefined> {
  const { account, signal } = asking
  return account && ask(asking, 'Registration', () => account.registrations(signal))
}

/** Returns the scale sets that still exist, of those that the cluster is deleting. */
export async function askSets(asking: Asking, objects: readonly ObjectFact[]): Promise<ForgeFacts['sets']> {
  const { account, signal } = asking
  if (!account || asking.unreadable['Registration'] !== undefined) return []
  const ids = [...scaleSetsAt(account.url, objects.filter(isTerminating)).keys()]
  const found = await ask(asking, 'ScaleSet', async () => {
    const sets: (ForgeFacts['sets'][number] | undefined)[] = []
    for (const id of ids) sets.push(await account.set(id, signal))
    return sets.filter((set) => set !== undefined)
  })
  return found ?? []
}

async function ask<T>(
  { account, unreadable }: Asking,
  kind: string,
  question: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    const retry = error.retryAt === undefined ? '' : ` Ask again after ${new Date(error.retryAt).toISOString()}.`
    unreadable[kind] = { is: 'failed', why: `the account ${account?.url} could not be read: ${error.message}${retry}` }
    return undefined
  }
}
