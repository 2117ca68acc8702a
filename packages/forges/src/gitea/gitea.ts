// Gitea and Forgejo as a forge: one account (a URL and a token), and the runner sets on it.
import type { Forge, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { AccountState, type GiteaAccess } from './account-state.ts'
import { giteaError } from './errors.ts'
import { problemOf } from './labels.ts'
import { GiteaLink } from './link.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Gitea's. Sends no request. */
export function createGiteaForge(access: GiteaAccess): Forge {
  const account = new AccountState(access)
  return {
    traits: forgeTraits.gitea,
    hasten: () => account.poll.hasten(),
    // Nothing needs to be remembered: the names of the runners say to which set they belong.
    open: (set, _remembered, until) => openLink(account, set, until),
  }
}

/** Looks the account up once, so that a configuration that cannot work is rejected here. The link reports any other failure as an event. */
async function openLink(account: AccountState, set: ForgeSet, until: AbortSignal): Promise<Link> {
  const problem = problemOf(set)
  if (problem !== undefined) throw giteaError('bad-config', problem)
  if (set.runnerPrefix === '' || !Number.isSafeInteger(set.max) || set.max < 1) {
    throw giteaError('bad-config', `The runner set needs a prefix and a maximum of at least 1 (it is ${set.max}).`)
  }
  try {
    await account.server()
  } catch (error) {
    const hopeless = error instanceof PortError && ['bad-config', 'unauthorized'].includes(error.kind)
    if (hopeless || !(error instanceof PortError)) throw error
  }
  return new GiteaLink(account, set, until)
}
