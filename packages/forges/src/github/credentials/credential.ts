// Reads the operator's credential from the entries of its Secret. The keys are those of the actions-runner-controller, so that its Secret
// works unchanged (docs/reference/scale-set-protocol.md#s3-1). A suffix names further Apps: `github_app_id.2`. No message holds a value.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import { githubError } from '../calls/errors.ts'

export type AppKey = {
  /** The App's numeric id or its client id. */
  readonly appId: string
  /** Undefined: GitHub finds the installation of the URL's account. */
  readonly installationId: string | undefined
  readonly privateKey: KeyObject
  /** The part of the keys after the dot, with the dot. Empty for the first App. */
  readonly suffix: string
}

export type GitHubCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'apps'; readonly apps: readonly AppKey[] }

const idKey = 'github_app_id'
const installationKey = 'github_app_installation_id'
const privateKeyKey = 'github_app_private_key'
const tokenKey = 'github_token'
const appKeys = /^(?:github_app_id|github_app_installation_id|github_app_private_key)(\.[\w.-]+)?$/

/** Throws a `PortError` of kind `bad-config` that names the key and the next step. @param secret the name of the Secret, for messages */
export function readCredential(entries: SecretEntries, secret: string): GitHubCredential {
  const suffixes = new Set(
    Object.keys(entries).flatMap((key) => appKeys.exec(key)?.[1] ?? (appKeys.test(key) ? '' : [])),
  )
  const token = entries[tokenKey]
  if (token !== undefined && suffixes.size > 0) {
    const app = Object.keys(entries).find((key) => appKeys.test(key))
    throw bad(secret, `has a token (${tokenKey}) and an App (${app})`, 'Remove one of them.')
  }
  if (token !== undefined) return { kind: 'token', token: readToken(token, secret) }
  if (suffixes.size === 0) throw nothing(entries, secret)
  const inOrder = [...suffixes].sort((left, right) => left.localeCompare(right, 'en', { numeric: true }))
  const apps = inOrder.map((suffix) => readApp(entries, suffix, secret))
  refuseTwins(apps, secret)
  return { kind: 'apps', apps }
}

function readToken(token: string, secret: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  const why = token === '' ? 'is empty' : 'is not one word of ASCII characters'
  throw bad(secret, `has the key ${tokenKey}, which ${why}`, 'Store the token there, and nothing else.')
}

function readApp(entries: SecretEntries, suffix: string, secret: string): AppKey {
  const named = (key: string) => `${key}${suffix}`
  const required = (key: string, next: string) => {
    const value = entries[named(key)]
    if (value) return value
    const why = value === undefined ? `has no key ${named(key)}` : `has the key ${named(key)}, which is empty`
    throw bad(secret, why, next)
  }
  const appId = required(idKey, `Store the App's id or client id there. The App's settings at GitHub show both.`)
  const pem = required(
    privateKeyKey,
    `Store there the file that GitHub gave you when you created the App's private key.`,
  )
  const installationId = entries[named(installationKey)] || undefined
  if (!/^[\w.-]{1,100}$/.test(appId)) {
    throw bad(
      secret,
      `has the key ${named(idKey)}, which holds no App id`,
      'Store a number, or a client id such as Iv1.8a61f9b3a7aba766.',
    )
  }
  if (installationId !== undefined && !/^\d{1,18}$/.test(installationId)) {
    const next = `Store the number at the end of the installation's address, or remove the key: then GitHub finds it.`
    throw bad(secret, `has the key ${named(installationKey)}, which is not a number`, next)
  }
  return { appId, installationId, privateKey: readPrivateKey(pem, named(privateKeyKey), secret), suffix }
}

/** Accepts PKCS#1 and PKCS#8, and a text whose line ends were stored as `\n`. */
function readPrivateKey(text: string, key: string, secret: string): KeyObject {
  const pem = text.includes('\n') ? text : text.replaceAll('\\n', '\n')
  const next = `Create a new private key in the App's settings at GitHub, and store the whole file.`
  if (/ENCRYPTED/.test(pem)) {
    throw bad(
      secret,
      `has the key ${key}, which holds a private key with a passphrase`,
      'Store it without a passphrase.',
    )
  }
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem)
  } catch {
    const kind = /BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem)?.[1]
    const found =
      kind === undefined ? 'is not in PEM' : /PRIVATE KEY/.test(kind) ? 'is broken' : `holds a ${kind.toLowerCase()}`
    throw bad(secret, `has the key ${key}, which ${found}: it must hold a private key`, next)
  }
  if (privateKey.asymmetricKeyType === 'rsa') return privateKey
  throw bad(secret, `has the key ${key}, which is not an RSA key`, next)
}

function refuseTwins(apps: readonly AppKey[], secret: string): void {
  for (const [index, app] of apps.entries()) {
    const twin = apps
      .slice(0, index)
      .find((other) => other.appId === app.appId && other.installationId === app.installationId)
    if (!twin) continue
    const keys = `${idKey}${twin.suffix} and ${idKey}${app.suffix}`
    throw bad(secret, `names one App twice, in ${keys}`, 'Remove one of them: two entries of one App share its budget.')
  }
}

function nothing(entries: SecretEntries, secret: string): Error {
  const strange = Object.keys(entries).filter((key) => /^(?:github|gh|app)/i.test(key))
  const known = strange.length === 0 ? '' : `, only ${strange.map((key) => key.slice(0, 60)).join(', ')}`
  const next = `Add the key ${tokenKey}, or the keys ${idKey} and ${privateKeyKey}.`
  return bad(secret, `has no credential for GitHub${known}`, next)
}

function bad(secret: string, why: string, next: string): Error {
  return githubError('bad-credential', `The Secret ${secret} ${why}. ${next}`)
}
