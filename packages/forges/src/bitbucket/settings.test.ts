// The texts that an operator writes: the Secret, the URL, the labels.
import { PortError } from '@dayfly/runner-set/model/port-error'
import { expect, test } from 'vitest'
import { readCredential } from './credential.ts'
import { differenceOf, labelsOf, problemOf } from './labels.ts'
import { internalRunnersPath, parsePlace, runnersPath } from './place.ts'

test.each([
  [
    { bitbucketOauthClientId: 'k', bitbucketOauthClientSecret: 's' },
    { kind: 'consumer', key: 'k', secret: 's' },
  ],
  [
    { atlassianAccountEmail: 'a@b.c', atlassianApiToken: 't\n' },
    { kind: 'basic', name: 'a@b.c', password: 't' },
  ],
  [
    { bitbucketUsername: 'a@b.c', bitbucketAppPassword: 't' },
    { kind: 'basic', name: 'a@b.c', password: 't' },
  ],
  [{ bitbucketAccessToken: 't' }, { kind: 'access-token', token: 't' }],
  [
    { bitbucketOauthClientId: '', bitbucketOauthClientSecret: '', bitbucketUsername: 'u', bitbucketAppPassword: 'p' },
    { kind: 'basic', name: 'u', password: 'p' },
  ],
  [
    { bitbucketAccessToken: 't', bitbucketOauthClientId: 'k', bitbucketOauthClientSecret: 's' },
    { kind: 'consumer', key: 'k', secret: 's' },
  ],
])('the Secret %o is the credential %o', (entries, credential) => {
  expect(readCredential(entries, 'bitbucket')).toEqual(credential)
})

test.each([
  [{}, 'has no credential for Bitbucket'],
  [{ bitbucketOauthClientId: 'k' }, 'no value for bitbucketOauthClientSecret'],
  [{ atlassianApiToken: 't' }, 'no value for atlassianAccountEmail'],
  [{ bitbucketAccessToken: 'two words' }, 'bitbucketAccessToken, which is not one word'],
])('the Secret %o is refused: %s', (entries, sentence) => {
  expect(() => readCredential(entries, 'bitbucket')).toThrow(sentence)
  expect(() => readCredential(entries, 'bitbucket')).not.toThrow('two words')
})

const uuid = '{1f0c5a6e-7a52-4e0d-9f5f-1f0c5a6e7a52}'

test.each([
  ['https://bitbucket.org/acme', 'https://api.bitbucket.org', '/2.0/workspaces/acme/pipelines-config/runners'],
  [
    'https://bitbucket.org/acme/app/',
    'https://api.bitbucket.org',
    '/2.0/repositories/acme/app/pipelines-config/runners',
  ],
  [
    `https://bitbucket.org/${encodeURIComponent(uuid)}`,
    'https://api.bitbucket.org',
    `/2.0/workspaces/${encodeURIComponent(uuid)}/pipelines-config/runners`,
  ],
  ['http://127.0.0.1:8080/acme', 'http://127.0.0.1:8080', '/2.0/workspaces/acme/pipelines-config/runners'],
])('%s has its runners at %s%s', (url, origin, path) => {
  const place = parsePlace(url)
  expect([place.apiOrigin, runnersPath(place)]).toEqual([origin, path])
  expect(place.tokenOrigin).toBe(origin.replace('api.', ''))
})

test('the internal API has UUIDs in its paths', () => {
  const braces = encodeURIComponent(uuid)
  expect(internalRunnersPath({ workspace: uuid, repository: uuid })).toBe(
    `/internal/repositories/${braces}/${braces}/pipelines-config/runners`,
  )
})

test.each([
  '',
  'acme',
  'https://bitbucket.org/',
  'https://bitbucket.org/a/b/c',
  'https://bitbucket.org/acme?x=1',
  'https://user:pw@bitbucket.org/acme',
  'http://bitbucket.org/acme',
  'ftp://bitbucket.org/acme',
  'https://bitbucket.org/ac%2Fme',
  'https://bitbucket.org/%7Bacme%7D',
])('%s is no place', (url) => {
  expect(() => parsePlace(url)).toThrow(PortError)
})

const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['gpu'], group: undefined, max: 1 }

test.each([
  [[], ['self.hosted', 'linux']],
  [['gpu'], ['self.hosted', 'linux', 'gpu']],
  [
    ['linux.arm64', 'gpu'],
    ['self.hosted', 'linux.arm64', 'gpu'],
  ],
  [
    ['self.hosted', 'linux', 'linux'],
    ['self.hosted', 'linux'],
  ],
])('the labels %o become %o', (labels, all) => {
  expect(labelsOf({ labels })).toEqual(all)
})

test.each([
  [{ labels: ['GPU'] }, 'GPU cannot be a label'],
  [{ labels: ['a-b'] }, 'a-b cannot be a label'],
  [{ labels: [''] }, 'cannot be a label'],
  [{ labels: 'abcdefghijk'.split('') }, 'at most 10 labels'],
  [{ group: 'gpu' }, 'no runner groups'],
] as const)('a set with %o has a problem: %s', (change, sentence) => {
  expect(problemOf({ ...set, ...change })).toContain(sentence)
})

test('the difference names the runner and its labels, and order does not matter', () => {
  const runner = { id: '{1}', name: 'linux-one', status: 'ONLINE', isCordoned: false, step: undefined, createdAt: 0 }
  expect(problemOf(set)).toBeUndefined()
  expect(differenceOf(set, [{ ...runner, labels: ['gpu', 'self.hosted', 'linux'] }])).toBeUndefined()
  const old = { ...runner, labels: ['self.hosted', 'linux'] }
  expect(differenceOf(set, [old, { ...old, name: 'linux-two' }])).toEqual({
    reason: 'forge-settings-differ',
    message:
      '2 runners, one of them linux-one, keep the old labels self.hosted, linux until the end. New runners get gpu, linux, self.hosted.',
  })
})
