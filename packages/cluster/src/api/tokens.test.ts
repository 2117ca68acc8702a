// A token of a service account counts for the API server only, and only while the account and the pod that it names exist.
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import { createTokens } from './tokens.ts'

const account = { namespace: 'default', account: 'default' }
const user = 'system:serviceaccount:default:default'

function open() {
  const { clock, create, registry } = openPodStage()
  const tokens = createTokens(registry, clock)
  const ownerOf = (token = '') => tokens.ownerOf(token)
  return { clock, create, registry, tokens, ownerOf }
}

test('a token names its account until it expires', async () => {
  const { clock, tokens, ownerOf } = open()
  const token = tokens.issue({ ...account, seconds: 600 })?.token
  expect(ownerOf(token)).toBe(user)
  await clock.advance(600_000)
  expect(ownerOf(token)).toBeUndefined()
})

test('a token of a pod ends with the pod', () => {
  const { create, registry, tokens, ownerOf } = open()
  create({ containers: [containerOf('main')] })
  const uid = registry.get('pods', 'default', 'p')?.metadata.uid ?? ''
  const token = tokens.issue({ ...account, pod: { name: 'p', uid } })?.token
  expect(ownerOf(token)).toBe(user)
  registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  expect(ownerOf(token)).toBeUndefined()
})

test('a token for another audience, or of another cluster, is refused', () => {
  const { tokens, ownerOf } = open()
  expect(ownerOf(tokens.issue({ ...account, audiences: ['vault'] })?.token)).toBeUndefined()
  expect(ownerOf(open().tokens.issue(account)?.token)).toBeUndefined()
})
