// Who is asking. Authentication only: whoever is known may do everything here.
import type { Request } from '../../lib/http.ts'

/** The name of who asks, or undefined for somebody unknown (401). */
export type Authenticate = (request: Request) => string | undefined

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
