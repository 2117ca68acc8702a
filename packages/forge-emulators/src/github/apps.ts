// The emulated GitHub Apps: their keys, their installations, and the tokens of those (docs/reference/scale-set-protocol.md#s3-2).
import { verify } from 'node:crypto'
import type { Instant } from '@dayfly/kit/clock'
import * as z from 'zod'
import { restError } from './refusal.ts'

export type EmulatedApp = {
  readonly id: number
  /** The other name of the App in its token. */
  readonly clientId?: string
  /** PEM. Verifies the App's tokens. */
  readonly publicKey: string
  readonly installations: readonly {
    readonly id: number
    /** The organization or user, for example `my-org`. */
    readonly account: string
  }[]
}

export type Installation = {
  readonly id: number
  readonly appId: number
  readonly account: string
  isSuspended: boolean
  /** The App was uninstalled. */
  isRemoved: boolean
  /** Tokens with an older number are revoked. */
  serial: number
}

/** A change of an installation over the control API. */
export const installationChangeSchema = z.strictObject({
  suspended: z.boolean().optional(),
  removed: z.boolean().optional(),
  /** Revokes every token that was issued so far. */
  revokeTokens: z.literal(true).optional(),
  /** The requests left in this hour. */
  remaining: z.number().int().nonnegative().optional(),
})

export type InstallationChange = z.infer<typeof installationChangeSchema>

export function installationsOf(apps: readonly EmulatedApp[]): Map<number, Installation> {
  const all = apps.flatMap(({ id: appId, installations }) =>
    installations.map((each) => ({ ...each, appId, isSuspended: false, isRemoved: false, serial: 1 })),
  )
  return new Map(all.map((installation) => [installation.id, installation]))
}

/** The name under which GitHub counts the requests of an installation. */
export function budgetName({ id }: Installation): string {
  return `installation ID ${id}`
}

const headSchema = z.object({ alg: z.literal('RS256') })
const claimsSchema = z.object({ iss: z.union([z.string(), z.number()]), iat: z.number().int(), exp: z.number().int() })

/** Returns the App that signed the token. Throws GitHub's refusal for any other token. */
export function verifyApp(apps: readonly EmulatedApp[], token: string, now: Instant): EmulatedApp {
  const undecodable = () => restError(401, 'A JSON web token could not be decoded')
  const [head = '', payload = '', signature = ''] = token.split('.')
  const claims = claimsSchema.safeParse(decode(payload))
  if (!headSchema.safeParse(decode(head)).success || !claims.success) throw undecodable()
  const { iss, iat, exp } = claims.data
  const app = apps.find(({ id, clientId }) => String(id) === String(iss) || clientId === iss)
  if (!app) throw restError(404, 'Integration not found')
  const signed = Buffer.from(`${head}.${payload}`)
  if (!verify('RSA-SHA256', signed, app.publicKey, Buffer.from(signature, 'base64url'))) throw undecodable()
  const nowS = now / 1_000
  if (iat > nowS) {
    const said = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    throw restError(401, said)
  }
  if (exp <= nowS) {
    const said =
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
    throw restError(401, said)
  }
  if (exp > nowS + 600) throw restError(401, "'Expiration time' claim ('exp') is too far in the future")
  return app
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
