// A Bitbucket account for reading and removing registrations. Bitbucket keeps no record of runner sets.
import type { AccountRegistration, ForgeAccount } from '@dayfly/runner-set/forge/account'
import { AccountState, type BitbucketAccess } from './account-state.ts'
import { bitbucketError } from './errors.ts'
import { type ListedRunner, registrationOf } from './wire.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Bitbucket's. Sends no request. */
export function createBitbucketAccount(access: BitbucketAccess): ForgeAccount {
  const account = new AccountState(access)
  const list = async (signal: AbortSignal | undefined) => (await account.roster.listed(signal)).runners
  return {
    url: account.place.url,
    removal: 'refuses-busy',
    registrations: async (signal) => (await list(signal)).map(asRegistration),
    find: async (name, signal, id) => {
      const named = (await list(signal)).filter((runner) => runner.name === name)
      const found = id === undefined ? named : named.filter((runner) => runner.id === id)
      if (found.length > 1) throw bitbucketError('conflict', `${found.length} runners are named ${name}.`)
      return found[0] && asRegistration(found[0])
    },
    set: async () => undefined,
    findSet: async () => undefined,
    waiting: async () => undefined,
    removeSet: async (id) => {
      throw bitbucketError('not-found', `Bitbucket has no runner sets, so none with the id ${id}.`)
    },
    deregister: (id, signal) => account.remove(id, signal),
  }
}

function asRegistration(runner: ListedRunner): AccountRegistration {
  return { ...registrationOf(runner), set: undefined, labels: runner.labels, createdAt: runner.createdAt }
}
