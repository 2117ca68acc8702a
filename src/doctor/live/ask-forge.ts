// What a forge says of an account, for the facts: complete, or the reason why it is not known.
import type { ForgeAccount } from '../../forge/account.ts'
import { PortError } from '../../model/port-error.ts'
import { scaleSetsAt } from '../arc/scale-sets.ts'
import type { ForgeFacts, ObjectFact, Unread } from '../facts.ts'
import { isTerminating } from './cluster.ts'

export type Asking = {
  readonly account: ForgeAccount | undefined
  /** Gets the reason of what could not be read, by kind. */
  readonly unreadable: Record<string, Unread>
  readonly signal: AbortSignal | undefined
}

/** What of `unreadable` is the forge's, and not the cluster's. */
export const forgeKinds: readonly string[] = ['Registration', 'ScaleSet']

/** Undefined: not asked, or not known. Asked before the cluster is read: what is registered later is then in the cluster, and not taken for left over. */
export async function askRegistrations(asking: Asking): Promise<ForgeFacts['registrations'] | undefined> {
  const { account, signal } = asking
  return account && ask(asking, 'Registration', () => account.registrations(signal))
}

/** Which scale sets are still there, of those that the cluster is about to forget. */
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
