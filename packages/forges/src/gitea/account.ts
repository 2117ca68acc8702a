// A Gitea account for reading and removing registrations. Gitea keeps no record of runner sets.
import type { Instant } from '@dayfly/kit/clock'
import type { AccountRegistration, ForgeAccount } from '@dayfly/runner-set/forge/account'
import { AccountState, type GiteaAccess } from './account-state.ts'
import { registeredAlready } from './ages.ts'
import { assignJobs } from './assign.ts'
import { giteaError } from './errors.ts'
import type { JobsView } from './jobs-view.ts'
import { registrationOf } from './registration.ts'

/** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Gitea's. Sends no request. */
export function createGiteaAccount(access: GiteaAccess): ForgeAccount {
  const account = new AccountState(access)
  return {
    url: account.place.url,
    removal: 'refuses-busy',
    registrations: async (signal) => {
      const view = await account.listed(signal)
      const server = await account.server()
      // Only a silent runner may be left over.
      const silent = view.runners.flatMap(({ id, isOnline }) => (isOnline ? [] : [id]))
      const ages = await registeredAlready(silent, view.jobs, { api: account.api, server, signal })
      return asRegistrations(view, ages)
    },
    find: async (name, signal, id) => {
      const named = asRegistrations(await account.listed(signal), new Map()).filter((runner) => runner.name === name)
      const found = id === undefined ? named : named.filter((runner) => runner.id === id)
      if (found.length > 1) throw giteaError('conflict', `${found.length} runners are named ${name}.`)
      return found[0]
    },
    set: async () => undefined,
    findSet: async () => undefined,
    waiting: async (sets, signal) => {
      const { jobs } = await account.listed(signal)
      return new Map([...assignJobs(jobs, sets).waiting].map(([prefix, own]) => [prefix, own.length]))
    },
    removeSet: async (id) => {
      throw giteaError('not-found', `Gitea has no runner sets, so none with the id ${id}.`)
    },
    deregister: (id, signal) => account.remove(id, signal),
  }
}

function asRegistrations(view: JobsView, ages: ReadonlyMap<string, Instant>): readonly AccountRegistration[] {
  return view.runners.map((runner) => {
    const registration = registrationOf(runner, view.busy)
    return { ...registration, set: undefined, labels: runner.labels, createdAt: ages.get(runner.id) }
  })
}
