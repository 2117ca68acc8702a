// The place of a call: the prefix of its path, the scope that the prefix needs, and the right of the user there.
import type { Answer, Method } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import {
  accountOf,
  authenticate,
  type EmulatedCredential,
  type Right,
  requireRight,
  requireScope,
  requireToken,
  type ScopeCategory,
  sees,
} from './credentials.ts'
import type { Dialect } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { parametersOf } from './paging.ts'
import { fullName } from './places.ts'
import { notFound } from './refusal.ts'
import { settle } from './settle.ts'
import type { Place, Repository } from './state.ts'

export type Access = { readonly emulation: Emulation; readonly credentials: readonly EmulatedCredential[] }

/** The four prefixes below which runners and jobs are listed. */
const prefixes: readonly (readonly [path: string, category: ScopeCategory])[] = [
  ['/api/v1/admin', 'admin'],
  ['/api/v1/orgs/:organization', 'organization'],
  ['/api/v1/user', 'user'],
  ['/api/v1/repos/:owner/:repository', 'repository'],
]

export const repositoryPath = '/api/v1/repos/:owner/:repository'

/** A route of the server. Absent: all dialects have it. */
export type GiteaRoute = Route & { readonly exists?: ((dialect: Dialect) => boolean) | undefined }

export type PlacedRoute = {
  readonly method: Method
  /** The path below the prefix. */
  readonly path: string
  readonly right: Right
  readonly exists?: GiteaRoute['exists']
  readonly run: (place: Place, call: Call) => Answer | Promise<Answer>
}

/** Returns the route below each of the four prefixes. */
export function placedRoutes(access: Access, { method, path, right, exists, run }: PlacedRoute): readonly GiteaRoute[] {
  return prefixes.map(([prefix, category]) => ({
    ...restRoute(access, method, `${prefix}${path}`, (call) => run(reachPlace(access, call, category, right), call)),
    exists,
  }))
}

/** Returns a route of the REST API. A wrong token is refused everywhere. */
export function restRoute(
  { emulation, credentials }: Access,
  method: Method,
  pattern: string,
  run: (call: Call) => Answer | Promise<Answer>,
): GiteaRoute {
  return {
    method,
    pattern,
    run: async (call) => {
      emulation.origin = call.origin
      authenticate(emulation, credentials, call)
      const answer = await run(call)
      settle(emulation)
      return answer
    },
  }
}

/** Returns the place of a call below the prefix of the category. */
export function reachPlace(access: Access, call: Call, category: ScopeCategory, right: Right): Place {
  if (category === 'repository') return reachRepository(access, call, right)
  const { emulation, credentials } = access
  const given = authenticate(emulation, credentials, call)
  requireScope(call, given, category)
  const organization = category === 'organization' ? organizationOf(emulation, call) : undefined
  const credential = requireToken(call, given)
  if (category === 'user') return accountOf(emulation, credential)
  const place = organization ?? emulation.state.site
  requireRight(call, credential, place, right)
  return place
}

function organizationOf({ state }: Emulation, call: Call): Place {
  const { organization: name = '' } = call.params
  const organization = state.owners.get(name.toLowerCase())
  if (organization?.kind === 'organization') return organization
  throw notFound(call, 'GetOrgByName', noRedirect(name))
}

/** Returns the repository of a path. The old path of a renamed one is redirected, also for calls that change something. */
export function reachRepository({ emulation, credentials }: Access, call: Call, right: Right): Repository {
  const given = authenticate(emulation, credentials, call)
  requireScope(call, given, 'repository')
  const { owner = '', repository: name = '' } = call.params
  const { state } = emulation
  const key = `${owner}/${name}`.toLowerCase()
  const moved = state.redirects.get(key)
  if (moved) throw redirect(call, `${owner}/${name}`, moved)
  if (!state.owners.has(owner.toLowerCase())) throw notFound(call, 'GetUserByName', noRedirect(owner))
  const repository = state.repositories.get(key)
  if (!repository || !sees(given, repository)) throw notFound(call)
  requireRight(call, requireToken(call, given), repository, right)
  return repository
}

function noRedirect(name: string): string {
  return `user redirect does not exist [name: ${name}]`
}

function redirect(call: Call, old: string, repository: Repository): Refusal {
  const { path } = call.request
  const parameters = String(parametersOf(call.request))
  const search = parameters && `?${parameters}`
  const { pathname } = new URL(call.origin)
  const root = pathname === '/' ? '' : pathname
  const location = `${root}${path.replace(old, fullName(repository))}${search}`
  return new Refusal({ ...emptyAnswer(301), headers: { location } })
}
