// Authorizes requests. Admin tokens and queue tokens are never interchangeable (docs/reference/scale-set-protocol.md#s19-3).
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { exception } from './refusal.ts'
import { scaleSetWithId } from './scale-sets.ts'
import type { ScaleSet, Scope, Session } from './state.ts'
import type { Claims } from './tokens.ts'

/** Returns the scope of an admin call. */
export function authorizeAdmin(emulation: Emulation, call: Call): Scope {
  const claims = bearer(emulation, call, 'admin')
  const scope = scopeWithKey(emulation, claims.scope)
  if (!scope || scope.key !== call.params['tenant']) throw unauthorized()
  return scope
}

/** Returns the session of a queue call. */
export function authorizeQueue(emulation: Emulation, call: Call): Session {
  const claims = bearer(emulation, call, 'queue')
  const scope = scopeWithKey(emulation, claims.scope)
  if (!scope || (call.params['tenant'] ?? scope.key) !== scope.key) throw unauthorized()
  const set = scaleSetWithId(emulation, scope, claims.set ?? 0)
  if (!set) throw scaleSetMissing(claims.set)
  const session = emulation.state.sessions.get(claims.session ?? '')
  if (!session || session.set !== set) throw sessionMissing()
  if (emulation.knobs.revokeOnRefresh && claims.serial !== session.serial) throw unauthorized()
  use(emulation, set)
  return session
}

/** Returns the scale set of an admin call. */
export function findScaleSet(emulation: Emulation, call: Call): ScaleSet {
  const scope = authorizeAdmin(emulation, call)
  const set = scaleSetWithId(emulation, scope, Number(call.params['set']))
  if (!set) throw scaleSetMissing(call.params['set'])
  use(emulation, set)
  return set
}

export function sessionMissing(): Error {
  return exception('RunnerAdminException', "The runner referenced a session ID that doesn't exist in redis.")
}

function scaleSetMissing(id: number | string | undefined): Error {
  return exception('RunnerScaleSetNotFoundException', `No runner scale set found with identifier ${id}.`)
}

function use(emulation: Emulation, set: ScaleSet): void {
  set.lastSeenAt = emulation.clock.now()
}

function bearer(emulation: Emulation, call: Call, kind: Claims['kind']): Claims {
  const token = /^Bearer (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1] ?? ''
  const claims = emulation.tokens.read(token, emulation.clock.now())
  if (claims?.kind !== kind) throw unauthorized()
  return claims
}

function unauthorized(): Error {
  return exception('UnauthorizedException', 'The token is expired or not valid for this resource.')
}

function scopeWithKey(emulation: Emulation, key: string): Scope | undefined {
  for (const scope of emulation.state.scopes.values()) if (scope.key === key) return scope
  return undefined
}
