// Reads the operator's credential from the entries of its Secret. The keys are those of Atlassian's autoscaler, so that its Secret works
// unchanged (docs/reference/bitbucket.md#s2-3). No message holds a value.
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import { bitbucketError } from './errors.ts'

export type BitbucketCredential =
  | { readonly kind: 'consumer'; readonly key: string; readonly secret: string }
  /** An API token with the e-mail of its account. */
  | { readonly kind: 'basic'; readonly name: string; readonly password: string }
  | { readonly kind: 'access-token'; readonly token: string }

const tokenKey = 'bitbucketAccessToken'

type Pair = {
  readonly name: string
  readonly secret: string
  readonly create: (name: string, secret: string) => BitbucketCredential
}

const consumerOf: Pair['create'] = (key, secret) => ({ kind: 'consumer', key, secret })
const basicOf: Pair['create'] = (name, password) => ({ kind: 'basic', name, password })

/** In the autoscaler's order: the first complete pair counts. */
const pairs: readonly Pair[] = [
  { name: 'bitbucketOauthClientId', secret: 'bitbucketOauthClientSecret', create: consumerOf },
  { name: 'atlassianAccountEmail', secret: 'atlassianApiToken', create: basicOf },
  { name: 'bitbucketUsername', secret: 'bitbucketAppPassword', create: basicOf },
]

/** Throws a `PortError` of kind `bad-config` that names the key and the next step. @param secret the name of the Secret, for messages */
export function readCredential(entries: SecretEntries, secret: string): BitbucketCredential {
  const read = (key: string) => {
    const value = entries[key]?.trim() ?? ''
    if (/^[\x21-\x7e]{0,4096}$/.test(value)) return value
    throw bad(
      secret,
      `has the key ${key}, which is not one word of ASCII characters`,
      'Store the value and nothing else.',
    )
  }
  for (const pair of pairs) {
    const [name, password] = [read(pair.name), read(pair.secret)]
    if (name !== '' && password !== '') return pair.create(name, password)
    if (name === '' && password === '') continue
    const missing = name === '' ? pair.name : pair.secret
    throw bad(secret, `has no value for ${missing}`, `Add it: ${pair.name} and ${pair.secret} belong together.`)
  }
  const token = read(tokenKey)
  if (token !== '') return { kind: 'access-token', token }
  const names = pairs.map((pair) => `${pair.name} and ${pair.secret}`)
  throw bad(secret, 'has no credential for Bitbucket', `Add the keys ${names.join(', or ')}, or ${tokenKey}.`)
}

function bad(secret: string, why: string, next: string): Error {
  return bitbucketError('bad-config', `The Secret ${secret} ${why}. ${next}`)
}
