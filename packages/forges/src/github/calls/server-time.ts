// Reads the times that GitHub states: when to try again, and when a token expires. They count from the server's clock
// (the `Date` header): a wrong clock on either side must not flood GitHub or stop the client.
import type { Instant } from '@dayfly/kit/clock'
import type { Answer } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import { serverTime, statedWaitMs } from '@dayfly/kit/retry-after'
import { field } from './wire.ts'

type Headers = Answer['headers']

/** The longest wait that a response can ask for, in milliseconds. */
const waitMsMax = 60 * 60_000
/** The wait after a limit whose stated time is zero or has passed, in milliseconds. */
const passedLimitMs = 5_000
/** The wait after a limit that states no time, in milliseconds; GitHub's documentation asks for a minute. */
const unstatedLimitMs = 60_000

/**
 * Returns when the response asks us to try again: `Retry-After` in seconds or as a date, else the reset of an
 * exhausted REST budget. Returns undefined if it asks for nothing or for a time that has passed; never more than an hour.
 */
export function retryInstant(headers: Headers, now: Instant): Instant | undefined {
  const future = statedWaits(headers, now).find((waitMs) => waitMs > 0)
  return future === undefined ? undefined : now + Math.min(future, waitMsMax)
}

/** Returns when a limited request may be tried again, also if the response states no usable time. */
export function limitEnd(headers: Headers, now: Instant): Instant {
  const defaultMs = statedWaits(headers, now).length > 0 ? passedLimitMs : unstatedLimitMs
  return retryInstant(headers, now) ?? now + defaultMs
}

/** Returns when the JSON Web Token expires, by our clock; undefined for any other text. Does not verify the signature. */
export function tokenExpiry(token: string, headers: Headers, now: Instant): Instant | undefined {
  const payload = token.split('.')[1]
  if (payload === undefined) return undefined
  try {
    const claims = asJsonObject(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
    const exp = claims && field(claims, 'exp')
    return typeof exp === 'number' && Number.isFinite(exp) ? now + exp * 1_000 - serverTime(headers, now) : undefined
  } catch {
    return undefined
  }
}

/** Milliseconds from now, the more specific header first; zero or negative if the stated time has passed. */
function statedWaits(headers: Headers, now: Instant): readonly number[] {
  const reset = headers['x-ratelimit-remaining'] === '0' ? (headers['x-ratelimit-reset'] ?? '') : ''
  const resetMs = /^\d+$/.test(reset) ? Number(reset) * 1_000 - serverTime(headers, now) : undefined
  return [statedWaitMs(headers, now), resetMs].filter((waitMs) => waitMs !== undefined)
}
