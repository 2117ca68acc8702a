// The emulator's bearer tokens: signed JWTs with their kind and a real `exp` (docs/reference/scale-set-protocol.md#s3-5, docs/reference/scale-set-protocol.md#s19-3).
import { createHmac } from 'node:crypto'
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import * as z from 'zod'

const claimsSchema = z.object({
  kind: z.enum(['registration', 'admin', 'queue', 'runner', 'installation']),
  /** The tenant key. */
  scope: z.string(),
  /** Only in installation tokens: the id of the installation. `serial` is its number of revocations. */
  installation: z.number().optional(),
  /** Only in queue tokens: the scale set, its session, and the number of the refresh that issued the token. */
  set: z.number().optional(),
  session: z.string().optional(),
  serial: z.number().optional(),
  /** Only in runner tokens: the id of the runner. */
  runner: z.number().optional(),
  /** Seconds since the epoch. */
  exp: z.number(),
})

export type Claims = Readonly<z.infer<typeof claimsSchema>>

export interface Tokens {
  issue(claims: Omit<Claims, 'exp'>, ttlS: number, now: Instant): string
  /** Returns the claims of a valid token that the emulator issued; otherwise undefined. */
  read(token: string, now: Instant): Claims | undefined
  /** Replaces every token of the emulator in `text` by its kind. */
  redact(text: string): string
}

const header = base64url({ alg: 'HS256', typ: 'JWT' })
const shape = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g

/** A client sends one token many times. So many verified ones are kept, and then all of them are verified again. */
const verifiedMax = 1_000

export function createTokens(random: Random): Tokens {
  const key = Array.from({ length: 8 }, () => random().toString(36)).join('')
  const sign = (content: string) => createHmac('sha256', key).update(content).digest('base64url')
  const verified = new Map<string, Claims>()
  const claimsOf = (token: string): Claims | undefined => {
    const known = verified.get(token)
    if (known) return known
    const [head = '', payload = '', signature] = token.split('.')
    if (signature === undefined || sign(`${head}.${payload}`) !== signature) return undefined
    const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
    if (verified.size >= verifiedMax) verified.clear()
    verified.set(token, claims)
    return claims
  }
  return {
    issue: (claims, ttlS, now) => {
      const iat = Math.floor(now / 1000)
      const content = `${header}.${base64url({ ...claims, iat, exp: iat + ttlS, jti: random().toString(36).slice(2) })}`
      return `${content}.${sign(content)}`
    },
    read: (token, now) => {
      const claims = claimsOf(token)
      return claims && claims.exp * 1000 > now ? claims : undefined
    },
    redact: (text) => text.replace(shape, (token) => `[${claimsOf(token)?.kind ?? 'foreign'}]`),
  }
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
