// The headers of every answer: the page runs no foreign code, is in no foreign frame, and asks no other host.
import type { Answer } from '@dayfly/kit/http'
import type { Asset } from './source.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** Data must not be kept by a cache. */
export function secured(answer: Answer): Answer {
  return { ...answer, headers: { 'cache-control': 'no-store', ...answer.headers, ...headers } }
}

/** Returns the answer with a file, compressed if the client takes that. */
export function bytesAnswer({ bytes, gzip, type, isHashed }: Asset, accepted: string): Answer {
  const isZipped = gzip !== undefined && /\bgzip\b/.test(accepted)
  const cached = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache'
  const answered = {
    ...{ 'content-type': type, 'cache-control': cached, vary: 'accept-encoding' },
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  }
  return { status: 200, headers: answered, body: { kind: 'bytes', chunks: once(isZipped ? gzip : bytes) } }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
