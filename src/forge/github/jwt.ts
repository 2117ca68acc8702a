// Reads when a token expires. The signature is the server's business, not ours.
import type { Instant } from '../../lib/clock.ts'
import { asWire, field } from './wire.ts'

/** The `exp` of a JSON Web Token; undefined for anything else. */
export function tokenExpiry(token: string): Instant | undefined {
  const payload = token.split('.')[1]
  if (payload === undefined) return undefined
  try {
    const claims = asWire(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
    const exp = claims && field(claims, 'exp')
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}
