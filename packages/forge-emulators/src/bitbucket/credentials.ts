// The users behind the credentials, and their rights (docs/reference/bitbucket.md#s2-3).
import { randomName } from '@dayfly/kit/ids'
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { bitbucketError } from './refusal.ts'

export type EmulatedCredential = (
  | { readonly kind: 'consumer'; readonly key: string; readonly secret: string }
  | { readonly kind: 'api-token'; readonly email: string; readonly token: string }
  | { readonly kind: 'access-token'; readonly token: string }
) & {
  /** Credentials of one user share its calls. Absent: the credential is a user of its own. */
  readonly user?: string | undefined
  /** `read`: it may list runners, but not change them. */
  readonly scope?: 'read' | 'write' | undefined
  /** The slug of the only workspace that it reaches. */
  readonly workspace?: string | undefined
}

export type User = {
  /** The name under which its calls are counted. */
  readonly name: string
  readonly scope: 'read' | 'write'
  readonly workspace: string | undefined
}

/** Returns the response to the request of an OAuth access token. */
export function issueToken(emulation: Emulation, credentials: readonly EmulatedCredential[], call: Call): object {
  const { clock, random, state, knobs } = emulation
  const { body } = call.request
  const form = new URLSearchParams(body.kind === 'text' ? body.text : '')
  const grant = form.get('grant_type')
  if (grant !== 'client_credentials') {
    throw bitbucketError(400, 'The grant type is not supported.')
  }
  const [key, secret] = basicOf(call)
  const credential = credentials.findIndex(
    (each) => each.kind === 'consumer' && each.key === key && each.secret === secret,
  )
  if (credential < 0) throw bitbucketError(401, 'Invalid OAuth client credentials.')
  const token = randomName(random, 80)
  state.tokens.set(token, { credential, expiresAt: clock.now() + knobs.tokenTtlS * 1_000 })
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: knobs.tokenTtlS,
    scopes: 'repository account runner:write',
  }
}

/** Returns the user of a call. App passwords and unknown credentials get 401. */
export function authorize(emulation: Emulation, credentials: readonly EmulatedCredential[], call: Call): User {
  const index = credentialOf(emulation, credentials, call)
  const credential = credentials[index]
  if (!credential) throw bitbucketError(401, 'Token is invalid, expired, or not supported for this endpoint.')
  const { user = `user ${index + 1}`, scope = 'write', workspace } = credential
  return { name: user, scope, workspace }
}

function credentialOf({ clock, state }: Emulation, credentials: readonly EmulatedCredential[], call: Call): number {
  const bearer = /^Bearer (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1]
  if (bearer !== undefined) {
    const issued = state.tokens.get(bearer)
    if (issued) return issued.expiresAt > clock.now() ? issued.credential : -1
    return credentials.findIndex((each) => each.kind === 'access-token' && each.token === bearer)
  }
  const [name, password] = basicOf(call)
  return credentials.findIndex((each) => each.kind === 'api-token' && each.email === name && each.token === password)
}

/** Returns the name and the password of a Basic authorization; both are empty without one. */
export function basicOf({ request }: Call): readonly [name: string, password: string] {
  const encoded = /^Basic (\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1] ?? ''
  const [name = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)
  return [name, password]
}

const hourMs = 3_600_000

/** Counts a call of the user in any 60 minutes. Refused calls do not count. */
export function countCall({ clock, state, knobs }: Emulation, { name }: User): void {
  if (knobs.callsPerHour === 0) return
  const now = clock.now()
  const calls = (state.calls.get(name) ?? []).filter((at) => at > now - hourMs)
  state.calls.set(name, calls)
  const [oldest = now] = calls
  if (calls.length < knobs.callsPerHour) {
    calls.push(now)
    return
  }
  const seconds = Math.max(1, Math.ceil((oldest + hourMs - now) / 1_000))
  const headers: Record<string, string> = knobs.statesRetryAfter ? { 'retry-after': String(seconds) } : {}
  throw bitbucketError(429, `Rate limit for this resource has been exceeded.`, headers)
}
