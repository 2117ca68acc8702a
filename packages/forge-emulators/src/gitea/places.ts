// Owners and repositories: created, found by name, renamed, deleted.
import { emptyIndex, jobsWith } from './job-index.ts'
import type { EmulatedOwner, JobStatus, Owner, Place, Repository, Site, State } from './state.ts'

/** @param users the users of credentials, who all have an account */
export function createState(owners: readonly EmulatedOwner[], users: readonly string[], startedAt: number): State {
  const state: State = {
    startedAt,
    site: { ...placeParts(0), kind: 'site' },
    owners: new Map(),
    repositories: new Map(),
    redirects: new Map(),
    tokens: new Map(),
    runners: new Map(),
    runnersByUuid: new Map(),
    runnersByName: new Map(),
    listed: [],
    jobs: new Map(),
    runs: new Map(),
    tasks: new Map(),
    running: new Set(),
    hooks: new Map(),
    ids: { place: 0, runner: 0, run: 0, job: 0, task: 0, hook: 0 },
  }
  for (const { name, kind, repositories } of owners) {
    const owner = createOwner(state, name, kind)
    for (const repository of repositories) createRepository(state, owner, repository)
  }
  for (const user of users) {
    const owner = state.owners.get(user.toLowerCase()) ?? createOwner(state, user, 'user')
    if (owner.kind !== 'user') throw new Error(`${user} is an organization, so it cannot be the user of a token`)
  }
  return state
}

function placeParts(id: number): Omit<Site, 'kind'> {
  return { id, jobs: emptyIndex(), runners: [], token: undefined, tasksVersion: 0 }
}

function createOwner(state: State, name: string, kind: EmulatedOwner['kind']): Owner {
  const owner: Owner = { ...placeParts(++state.ids.place), kind, name, repositories: new Set() }
  state.owners.set(name.toLowerCase(), owner)
  return owner
}

export function createRepository(state: State, owner: Owner, name: string): Repository {
  const repository: Repository = {
    ...placeParts(++state.ids.place),
    kind: 'repository',
    owner,
    name,
    isArchived: false,
    hasActions: true,
    lines: new Map(),
    groups: new Map(),
    workflows: new Map(),
    runs: 0,
  }
  owner.repositories.add(repository)
  state.repositories.set(fullName(repository).toLowerCase(), repository)
  state.redirects.delete(fullName(repository).toLowerCase())
  return repository
}

export function fullName({ owner, name }: Repository): string {
  return `${owner.name}/${name}`
}

/** Returns the repository `owner/name`. Throws if it does not exist. */
export function repositoryNamed(state: State, name: string): Repository {
  const repository = state.repositories.get(name.toLowerCase())
  if (!repository) throw new Error(`there is no repository ${name}`)
  return repository
}

/** Returns the place of a name: `admin`, an owner, or `owner/repository`. Throws if it does not exist. */
export function placeNamed(state: State, name: string): Place {
  if (name === 'admin') return state.site
  if (name.includes('/')) return repositoryNamed(state, name)
  const owner = state.owners.get(name.toLowerCase())
  if (!owner) throw new Error(`there is no owner ${name}`)
  return owner
}

/** Returns the name that `placeNamed` takes. */
export function nameOf(place: Place): string {
  return place.kind === 'site' ? 'admin' : place.kind === 'repository' ? fullName(place) : place.name
}

/** Gives the repository another name. Its old path redirects, and its registration token stays valid. */
export function renameRepository(state: State, repository: Repository, name: string): void {
  const old = fullName(repository).toLowerCase()
  state.repositories.delete(old)
  repository.name = name
  state.repositories.set(fullName(repository).toLowerCase(), repository)
  state.redirects.delete(fullName(repository).toLowerCase())
  state.redirects.set(old, repository)
}

/** Returns the places that have the jobs of the repository. */
export function placesAbove(state: State, repository: Repository): readonly Place[] {
  return [state.site, repository.owner, repository]
}

/** Removes the repository from its owner, so that no path finds it. Its jobs and its runners must be gone. */
export function detachRepository(state: State, repository: Repository): void {
  repository.owner.repositories.delete(repository)
  state.repositories.delete(fullName(repository).toLowerCase())
  for (const [name, target] of state.redirects) if (target === repository) state.redirects.delete(name)
  for (const [value, { place }] of state.tokens) if (place === repository) state.tokens.delete(value)
  for (const [id, { place }] of state.hooks) if (place === repository) state.hooks.delete(id)
}

const allStatuses: ReadonlySet<JobStatus> = new Set<JobStatus>([
  ...(['waiting', 'blocked', 'running', 'cancelling'] as const),
  ...(['success', 'failure', 'cancelled', 'skipped'] as const),
])

export function allJobs(place: Place): ReturnType<typeof jobsWith> {
  return jobsWith(place.jobs, allStatuses)
}
