// Reads the operator's token from the entries of its Secret. No message holds a value.
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import { giteaError } from './errors.ts'

const key = 'gitea_token'

/** Throws a `PortError` of kind `bad-config` that names the key and the next step. @param secret the name of the Secret, for messages */
export function readCredential(entries: SecretEntries, secret: string): string {
  const token = entries[key]?.trim() ?? ''
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  const why = token === '' ? `has no credential for Gitea` : `has a ${key} that is not one word of ASCII characters`
  throw giteaError('bad-config', `The Secret ${secret} ${why}. Store an access token, and nothing else, as ${key}.`)
}
