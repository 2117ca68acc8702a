import { generateKeyPairSync } from 'node:crypto'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import { PortError } from '@dayfly/runner-set/model/port-error'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createGitHubForge } from '../github.ts'
import { readCredential } from './credential.ts'

let app: TestApp
beforeAll(() => {
  app = testApp(123)
})

function read(entries: SecretEntries) {
  const credential = readCredential(entries, 'github')
  return credential.kind === 'token'
    ? credential
    : credential.apps.map(({ appId, installationId, suffix }) => [appId, installationId, suffix])
}

function refusal(entries: SecretEntries): string {
  try {
    readCredential(entries, 'github')
  } catch (error) {
    expect(error).toBeInstanceOf(PortError)
    expect(error).toMatchObject({ kind: 'bad-config', reason: 'bad-credential' })
    return (error as Error).message
  }
  throw new Error('the credential was accepted')
}

describe('a Secret with a credential', () => {
  test('is the one of the actions-runner-controller, with a token or with an App', () => {
    expect(read({ github_token: 'ghp_x' })).toEqual({ kind: 'token', token: 'ghp_x' })
    expect(read(app.entries())).toEqual([['123', '1230', '']])
    expect(read({ ...app.entries(), note: 'ours' })).toHaveLength(1)
  })

  test('may hold a client id, no installation, a PKCS#8 key, or line ends written as \\n', () => {
    const entries = app.entries({ format: 'pkcs8', installationId: false })
    const flat = {
      ...entries,
      github_app_private_key: entries['github_app_private_key']?.replaceAll('\n', '\\n') ?? '',
    }
    expect(read(flat)).toEqual([['123', undefined, '']])
    expect(read({ ...entries, github_app_id: 'Iv23liAbCd' })).toEqual([['Iv23liAbCd', undefined, '']])
  })

  test('may hold several Apps, which keep the order of their suffixes', () => {
    const more = (suffix: string, id: string) => ({ ...app.entries({ suffix }), [`github_app_id${suffix}`]: id })
    const all = { ...more('.10', '10'), ...more('.2', '2'), ...more('.team-b', '7'), ...app.entries() }
    expect(read(all)).toEqual([
      ['123', '1230', ''],
      ['2', '1230', '.2'],
      ['10', '1230', '.10'],
      ['7', '1230', '.team-b'],
    ])
  })
})

describe('a Secret without a usable credential is refused with the key and the next step', () => {
  const pem = () => app.entries()['github_app_private_key'] ?? ''
  const cases: readonly (readonly [string, () => SecretEntries, RegExp])[] = [
    ['nothing', () => ({}), /The Secret github has no credential for GitHub\. Add the key github_token, or/],
    ['another key', () => ({ githubToken: 'ghp_x' }), /no credential for GitHub, only githubToken\. Add/],
    ['an empty token', () => ({ github_token: '' }), /github_token, which is empty\. Store/],
    ['a token of two words', () => ({ github_token: 'ghp_a b' }), /github_token, which is not one word/],
    ['both kinds', () => ({ ...app.entries(), github_token: 'x' }), /a token \(github_token\) and an App .*Remove one/],
    ['no private key', () => ({ github_app_id: '1' }), /has no key github_app_private_key\. Store/],
    ['no id', () => ({ github_app_private_key: pem() }), /has no key github_app_id\. Store/],
    ['an empty id', () => ({ ...app.entries(), github_app_id: '' }), /github_app_id, which is empty/],
    [
      'an id with spaces',
      () => ({ ...app.entries(), github_app_id: 'my app' }),
      /github_app_id, which holds no App id/,
    ],
    ['a half second App', () => ({ ...app.entries(), 'github_app_id.2': '9' }), /no key github_app_private_key\.2/],
    [
      'a text',
      () => ({ ...app.entries(), github_app_private_key: 'hello' }),
      /github_app_private_key, which is not in PEM/,
    ],
    ['half a key', () => ({ ...app.entries(), github_app_private_key: pem().slice(0, 900) }), /which is broken/],
    ['a bad installation', () => ({ ...app.entries(), github_app_installation_id: 'acme' }), /which is not a number/],
    [
      'one App twice',
      () => ({ ...app.entries(), ...app.entries({ suffix: '.2' }) }),
      /one App twice, in github_app_id and/,
    ],
  ]
  test.each(cases)('%s', (_, entries, sentence) => {
    expect(refusal(entries())).toMatch(sentence)
  })

  test('a key that is public, elliptic, or has a passphrase', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const locked = rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    const withKey = (key: string | Buffer) => ({ ...app.entries(), github_app_private_key: key.toString() })
    expect(refusal(withKey(rsa.publicKey.export({ type: 'spki', format: 'pem' })))).toMatch(/holds a public key/)
    expect(refusal(withKey(elliptic.privateKey.export({ type: 'pkcs8', format: 'pem' })))).toMatch(/not an RSA key/)
    expect(refusal(withKey(locked))).toMatch(/with a passphrase.*without a passphrase/)
  })

  test('no refusal repeats a value', () => {
    const keys = ['github_token', 'github_app_id', 'github_app_private_key', 'github_app_installation_id.2']
    const value = fc.string({ minLength: 12 }).map((text) => `s3cret ${text}`)
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value, { minKeys: 1 }), (entries) => {
        expect(refusal(entries)).not.toContain('s3cret')
      }),
    )
  })
})

test('case 6: an App at an enterprise is refused before any request', () => {
  const options = {
    url: 'https://github.com/enterprises/acme',
    credential: readCredential(app.entries(), 'github'),
    transport: () => Promise.reject(new Error('a request was sent')),
    clock: { now: () => 0, after: () => ({ cancel: () => {} }), sleep: async () => {} },
    random: () => 0,
    userAgent: 'dayfly/test',
  }
  expect(() => createGitHubForge(options)).toThrow(
    /GitHub App cannot register runners for the enterprise .*github_token/,
  )
})
