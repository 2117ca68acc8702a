// A GitHub account for reading and removing registrations. Claims no scale set, creates none and listens to none.
import type { AccountRegistration, AccountSet, ForgeAccount } from '@dayfly/runner-set/forge/account'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { actionsService } from './calls/actions-api.ts'
import { briefPolicy } from './calls/retry.ts'
import { parseConfigUrl } from './config-url.ts'
import { AdminTokens, type GitHubAccess } from './credentials/tokens.ts'
import { findRunner, type ListedRunner, listRunners, removeRunner } from './scale-set/runners.ts'
import { deleteScaleSet, findGroup, findScaleSet, getScaleSet, type ScaleSet } from './scale-set/scale-set.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of GitHub's. Sends no request. */
export function createGitHubAccount(access: GitHubAccess): ForgeAccount {
  const { transport, clock, random, credential, userAgent } = access
  const config = parseConfigUrl(access.url)
  const net = { transport, clock, random }
  const service = actionsService(net, new AdminTokens({ net, config, credential, userAgent }), () => userAgent)
  return {
    url: config.url,
    removal: forgeTraits.github.removal,
    registrations: async (signal) => (await listRunners(service, signal)).map(asRegistration),
    find: async (name, signal) => {
      const found = await findRunner(service, name, signal)
      return found && asRegistration(found)
    },
    set: async (id, signal) => asSet(await getScaleSet(service, Number(id), { policy: briefPolicy, signal })),
    findSet: async (name, group, signal) => {
      const how = { policy: briefPolicy, signal }
      const groupId = await findGroup(service, group ?? 'default', how)
      return asSet(await findScaleSet(service, groupId, name, how))
    },
    waiting: async () => undefined,
    removeSet: (id, signal) => deleteScaleSet(service, Number(id), { policy: briefPolicy, signal }),
    deregister: (id, signal) => removeRunner(service, id, signal),
  }
}

function asSet(found: ScaleSet | undefined): AccountSet | undefined {
  if (!found) return undefined
  const { id, name, assignedJobs, registeredRunners } = found
  return { id: String(id), name, assignedJobs, registeredRunners }
}

/** GitHub answers 0 for a runner without a scale set. */
function asRegistration({ scaleSetId, version: _version, ...rest }: ListedRunner): AccountRegistration {
  return { ...rest, set: scaleSetId ? String(scaleSetId) : undefined }
}
