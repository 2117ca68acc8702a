// Who is asking, and as whom. Kubernetes: apiserver authentication and impersonation.
import type { Request } from '../../lib/http.ts'

/** The name of who asks, or undefined for somebody unknown (401). */
export type Authenticate = (request: Request) => string | undefined

export type Identity = { readonly name: string; readonly groups: readonly string[] }

/** Whoever is in it may do everything. */
export const masters = 'system:masters'

/** By bearer token. @param users the user's name by token. */
export function bearerAuthentication(users: ReadonlyMap<string, string>): Authenticate {
  return (request) => {
    const match = /^bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '')
    return match?.[1] === undefined ? undefined : users.get(match[1])
  }
}

/** For callers in the same process, who are who they say. */
export function knownIdentity(user: string): Authenticate {
  return () => user
}

/** Users of the cluster are its masters; a service account is what its roles make of it. */
export function identityOf(user: string): Identity {
  const account = accountGroups(user)
  return { name: user, groups: [...(account ?? [masters]), authenticated] }
}

/** Whom the request is made as, by `Impersonate-User` and `Impersonate-Group`; undefined without these headers. */
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
