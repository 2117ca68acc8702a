// A GitHub account for reading and removing registrations. Claims no scale set, creates none and listens to none.
import type { AccountRegistration, ForgeAccount } from '../account.ts'
import { actionsService } from './actions-api.ts'
import { parseConfigUrl } from './config-url.ts'
import { githubTraits } from './github.ts'
import { briefPolicy } from './retry.ts'
import { findRunner, type ListedRunner, listRunners, removeRunner } from './runners.ts'
import { getScaleSet } from './scale-set.ts'
import { AdminTokens, type GitHubAccess } from './tokens.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of GitHub's. Sends no request. */
export function createGitHubAccount(access: GitHubAccess): ForgeAccount {
  const { transport, clock, random, credential, userAgent } = access
  const config = parseConfigUrl(access.url)
  const net = { transport, clock, random }
  const service = actionsService(net, new AdminTokens({ net, config, credential, userAgent }), () => userAgent)
  return {
    url: config.url,
    removal: githubTraits.removal,
    registrations: async (signal) => (await listRunners(service, signal)).map(asRegistration),
    find: async (name, signal) => {
      const found = await findRunner(service, name, signal)
      return found && asRegistration(found)
    },
    set: async (id, signal) => {
      const found = await getScaleSet(service, Number(id), { policy: briefPolicy, signal })
      return found && { id: String(found.id), name: found.name }
    },
    deregister: (id, signal) => removeRunner(service, id, signal),
  }
}

/** GitHub answers 0 for a runner without a scale set. */
function asRegistration({ scaleSetId, ...rest }: ListedRunner): AccountRegistration {
  return { ...rest, set: scaleSetId ? String(scaleSetId) : undefined }
}
