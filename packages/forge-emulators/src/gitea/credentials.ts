// The users behind the tokens: the scopes of a token, and what its user may do.
import { assert } from '@dayfly/kit/assert'
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { fullName } from './places.ts'
import { giteaError } from './refusal.ts'
import type { Owner, Place, Repository } from './state.ts'

export type EmulatedCredential = {
  readonly token: string
  /** The name of the user. Absent: `bot`. */
  readonly user?: string | undefined
  /** For example `write:repository`, which includes `read:repository`; `all` for every scope. */
  readonly scopes: readonly string[]
  readonly isSiteAdmin?: boolean | undefined
  /**
   * The roles of the user in organizations (`acme`), and in repositories of others (`acme/app`), where a member is a collaborator.
   * Absent: the user owns all of them.
   */
  readonly roles?: Readonly<Record<string, 'owner' | 'member'>> | undefined
}

export type ScopeCategory = 'admin' | 'organization' | 'user' | 'repository'

/** The right that a route needs: `owner` for runners, `reader` for jobs. */
export type Right = 'owner' | 'reader'

export function userOf({ user = 'bot' }: EmulatedCredential): string {
  return user
}

/** Returns the credential of a call; undefined if it has none. A token that is not known, or revoked, gets 401. */
export function authenticate(
  { revoked }: Emulation,
  credentials: readonly EmulatedCredential[],
  call: Call,
): EmulatedCredential | undefined {
  const header = call.request.headers['authorization']
  if (header === undefined) return undefined
  const token = /^(?:token|bearer) (\S+)$/i.exec(header)?.[1]
  const credential = credentials.find((each) => each.token === token)
  if (!credential || revoked.has(credential.token)) {
    throw giteaError(call, 401, 'invalid username, password or token')
  }
  return credential
}

/** Refuses a token without a scope of the category. A call without a token is refused later. */
export function requireScope(call: Call, credential: EmulatedCredential | undefined, category: ScopeCategory): void {
  if (!credential) return
  const { scopes } = credential
  const level = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(call.request.method) ? 'write' : 'read'
  const accepted = ['all', `write:${category}`, `${level}:${category}`]
  if (scopes.some((scope) => accepted.includes(scope))) return
  const sentence = 'token does not have at least one of required scope(s)'
  const sorted = [...scopes].sort((one, other) => (one.replace(/.*:/, '') < other.replace(/.*:/, '') ? -1 : 1))
  throw giteaError(call, 403, `${sentence}, required=[${level}:${category}], token scope=${sorted.join(',')}`)
}

export function requireToken(call: Call, credential: EmulatedCredential | undefined): EmulatedCredential {
  if (!credential) throw giteaError(call, 401, 'token is required')
  return credential
}

/** Refuses a user without the right at the place. */
export function requireRight(call: Call, credential: EmulatedCredential, place: Place, right: Right): void {
  if (credential.isSiteAdmin) return
  const role = roleAt(credential, place)
  if (role === 'owner' || (role === 'member' && right === 'reader')) return
  if (place.kind === 'site') throw giteaError(call, 403, 'user should be the site admin')
  if (place.kind === 'repository') throw giteaError(call, 403, 'user should be the owner of the repo')
  throw giteaError(call, 403, `Must be an organization ${right === 'owner' ? 'owner' : 'member'}`)
}

/** Whether the user may know that the repository exists. All repositories are private. */
export function sees(credential: EmulatedCredential | undefined, repository: Repository): boolean {
  return credential?.isSiteAdmin === true || (credential !== undefined && roleAt(credential, repository) !== undefined)
}

function roleAt(credential: EmulatedCredential, place: Place): 'owner' | 'member' | undefined {
  if (place.kind === 'site') return undefined
  const { roles } = credential
  const user = userOf(credential).toLowerCase()
  const owner = place.kind === 'repository' ? place.owner : place
  if (owner.name.toLowerCase() === user) return 'owner'
  if (!roles) return 'owner'
  const inOwner = roles[owner.name]
  return place.kind === 'repository' ? (roles[fullName(place)] ?? inOwner) : inOwner
}

/** Returns the account of the credential's user. */
export function accountOf({ state }: Emulation, credential: EmulatedCredential): Owner {
  const account = state.owners.get(userOf(credential).toLowerCase())
  assert(account, 'every user of a credential has an account')
  return account
}
