// The emulator's bearer tokens: signed JWTs with a real `exp` that say what they are for (scale-set protocol 3.5, 19.3).
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'

const claimsSchema = z.object({
  kind: z.enum(['registration', 'admin', 'queue', 'runner']),
  /** The tenant key. */
  scope: z.string(),
  /** queue: the scale set, its session and the refresh that issued it. */
  set: z.number().optional(),
  session: z.string().optional(),
  serial: z.number().optional(),
  /** runner: its id. */
  runner: z.number().optional(),
  /** Seconds since the epoch. */
  exp: z.number(),
})

export type Claims = Readonly<z.infer<typeof claimsSchema>>

export interface Tokens {
  issue(claims: Omit<Claims, 'exp'>, ttlS: number, now: Instant): string
  /** The claims of a token of ours that has not expired. */
  read(token: string, now: Instant): Claims | undefined
  /** `text` with every token of ours replaced by its kind. */
  redact(text: string): string
}

const header = base64url({ alg: 'HS256', typ: 'JWT' })
const shape = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g

export function createTokens(random: Random): Tokens {
  const key = Array.from({ length: 8 }, () => random().toString(36)).join('')
  const sign = (content: string) => createHmac('sha256', key).update(content).digest('base64url')
  const claimsOf = (token: string): Claims | undefined => {
    const [head = '', payload = '', signature] = token.split('.')
    if (signature === undefined || sign(`${head}.${payload}`) !== signature) return undefined
    return claimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
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
