// The token with which a GitHub App identifies itself (docs/reference/scale-set-protocol.md#s3-2).
import { type KeyObject, sign } from 'node:crypto'
import type { Instant } from '@dayfly/kit/clock'

/** Issued in the past, so that GitHub accepts it also if our clock is a little ahead. */
const backS = 60
const lifeS = 9 * 60

/** @param now GitHub's time, not this machine's */
export function appJwt(appId: string, privateKey: KeyObject, now: Instant): string {
  const iat = Math.floor(now / 1_000) - backS
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat, exp: iat + lifeS, iss: appId })}`
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), privateKey).toString('base64url')}`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
