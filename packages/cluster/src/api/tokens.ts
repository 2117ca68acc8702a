// Service account tokens: signed JSON web tokens (RFC 7519, ES256) that name the account and, if bound, its pod. A token counts
// only while both exist.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Registry } from './registry.ts'
import { field, integer, isObject, list, text } from './values/json.ts'

type TokenRequest = {
  readonly namespace: string
  readonly account: string
  readonly audiences?: readonly string[] | undefined
  /** Without it, the token does not expire. */
  readonly seconds?: number | undefined
  /** The pod whose end makes the token invalid. */
  readonly pod?: { readonly name: string; readonly uid: string } | undefined
}

export type Token = { readonly token: string; readonly expires: Instant | undefined }

export interface Tokens {
  /** Returns undefined if the account does not exist. */
  issue(request: TokenRequest): Token | undefined
  /** Returns the name of the user whose token it is, or undefined if it is invalid here and now, or for another audience. */
  ownerOf(token: string): string | undefined
}

/** Issues the tokens, and is the audience of those for the API server itself. */
const issuer = 'https://kubernetes.default.svc.cluster.local'

/** Returns a new key to sign tokens with, in PEM. */
export function newTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/**
 * @param registry holds the accounts and pods that tokens name.
 * @param key signs the tokens, in PEM. A cluster with another key refuses them.
 */
export function createTokens(registry: Registry, clock: Clock, key: string = newTokenKey()): Tokens {
  const privateKey = createPrivateKey(key)
  const publicKey = createPublicKey(privateKey)
  const signed = (claims: object): string => {
    const body = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${body}.${signature.toString('base64url')}`
  }
  const claimsOf = (token: string): unknown => {
    const [head = '', claims = '', signature = '', ...more] = token.split('.')
    const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    const bytes = Buffer.from(signature, 'base64url')
    if (more.length > 0 || !verify('sha256', Buffer.from(`${head}.${claims}`), by, bytes)) return undefined
    return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
  }
  return {
    issue: ({ namespace, account, audiences = [issuer], seconds, pod }) => {
      const uid = registry.get('serviceaccounts', namespace, account)?.metadata.uid
      if (uid === undefined) return undefined
      const now = Math.floor(clock.now() / 1000)
      const times = { iat: now, nbf: now, ...(seconds === undefined ? {} : { exp: now + seconds }) }
      const about = { namespace, serviceaccount: { name: account, uid }, ...(pod === undefined ? {} : { pod }) }
      const sub = userName(namespace, account)
      const token = signed({ aud: audiences, ...times, iss: issuer, 'kubernetes.io': about, sub })
      return { token, expires: seconds === undefined ? undefined : (now + seconds) * 1000 }
    },
    ownerOf: (token) => ownerIn(claimsOf(token), registry, clock.now()),
  }
}

function ownerIn(claims: unknown, registry: Registry, now: Instant): string | undefined {
  const about = field(claims, 'kubernetes.io')
  const [namespace, account] = [text(about, 'namespace'), text(about, 'serviceaccount', 'name')]
  const expires = field(claims, 'exp')
  if (typeof expires === 'number' && integer(claims, 'exp') * 1000 <= now) return undefined
  if (!list(claims, 'aud').includes(issuer)) return undefined
  const known = registry.get('serviceaccounts', namespace, account)?.metadata.uid
  if (known === undefined || known !== text(about, 'serviceaccount', 'uid')) return undefined
  const pod = field(about, 'pod')
  if (isObject(pod) && registry.get('pods', namespace, text(pod, 'name'))?.metadata.uid !== pod['uid']) return undefined
  return userName(namespace, account)
}

function userName(namespace: string, account: string): string {
  return `system:serviceaccount:${namespace}:${account}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
