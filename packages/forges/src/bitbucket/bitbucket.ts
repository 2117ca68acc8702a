// Bitbucket as a forge: one account (a URL and a credential), and the runner sets on it.
import type { Forge, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeState } from '@dayfly/runner-set/model/forge-event'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { AccountState, type BitbucketAccess } from './account-state.ts'
import { bitbucketError } from './errors.ts'
import { problemOf } from './labels.ts'
import { BitbucketLink } from './link.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Bitbucket's. Sends no request. */
export function createBitbucketForge(access: BitbucketAccess): Forge {
  const account = new AccountState(access)
  return {
    traits: forgeTraits.bitbucket,
    hasten: () => account.roster.hasten(),
    open: (set, remembered, until) => openLink(account, set, remembered, until),
  }
}

/** Looks the account up once, so that a configuration that cannot work is rejected here. The link reports any other failure as an event.
 *  Nothing needs to be remembered: the names of the runners say to which set they belong. */
async function openLink(
  account: AccountState,
  set: ForgeSet,
  _remembered: ForgeState | undefined,
  until: AbortSignal,
): Promise<Link> {
  const problem = problemOf(set)
  if (problem !== undefined) throw bitbucketError('bad-config', problem)
  if (set.runnerPrefix === '' || !Number.isSafeInteger(set.max) || set.max < 1) {
    throw bitbucketError('bad-config', `The runner set needs a prefix and a maximum of at least 1 (it is ${set.max}).`)
  }
  try {
    await account.identity(until)
  } catch (error) {
    const hopeless = error instanceof PortError && ['bad-config', 'unauthorized'].includes(error.kind)
    if (hopeless || !(error instanceof PortError)) throw error
  }
  return new BitbucketLink(account, set, until)
}
