// Authentication and impersonation: the user who sends a request, and the user in whose name it is sent.
import type { Request } from '@dayfly/kit/http'
import type { Tokens } from '../api/tokens.ts'

/** Returns the caller's name, or undefined for an unknown caller (401). */
export type Authenticate = (request: Request) => string | undefined

export type Identity = { readonly name: string; readonly groups: readonly string[] }

/** Members of this group may do everything. */
export const masters = 'system:masters'

/**
 * Authenticates by bearer token.
 * @param users the user's name by token.
 * @param tokens identifies the tokens of service accounts. Without it, they are unknown.
 */
export function bearerAuthentication(
  users: ReadonlyMap<string, string>,
  tokens?: Pick<Tokens, 'ownerOf'>,
): Authenticate {
  return (request) => {
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '') ?? []
    return token === undefined ? undefined : (users.get(token) ?? tokens?.ownerOf(token))
  }
}

/** Trusts the given name: the caller is in the same process. */
export function knownIdentity(user: string): Authenticate {
  return () => user
}

/** Returns the caller's identity. Users of the cluster are masters. Roles decide what a service account may do. */
export function identityOf(user: string): Identity {
  const account = accountGroups(user)
  return { name: user, groups: [...(account ?? [masters]), authenticated] }
}

/** Returns the user of `Impersonate-User` and `Impersonate-Group`, or undefined without these headers. */
export function impersonated({ headers }: Request): Identity | undefined {
  const name = headers['impersonate-user']
  if (name === undefined) return undefined
  const given = headers['impersonate-group']?.split(',').map((group) => group.trim())
  const groups = given ?? accountGroups(name) ?? []
  return { name, groups: groups.includes(authenticated) ? groups : [...groups, authenticated] }
}

const authenticated = 'system:authenticated'

function accountGroups(user: string): readonly string[] | undefined {
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user)?.[1]
  return namespace === undefined ? undefined : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}
