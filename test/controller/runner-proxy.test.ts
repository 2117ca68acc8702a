// The login of the runners' proxy: from its Secret into the Secret of each runner, at real latency.
import { expect, it } from 'vitest'
import { openStage, podNames, queue, type Stage, status } from './stage.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64')
const login = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'proxy-login', namespace: 'ci' },
  data: { username: encoded('joe'), password: encoded(password) },
})
const proxy = { url: 'http://proxy.test:3128', credentials: { secret: 'proxy-login' } }

/** The URL of the proxy in the Secret of each runner. */
function urlsOf(stage: Stage): readonly string[] {
  return podNames(stage).map((name) => {
    const { proxyUrl = '' } = Object(stage.registry.get('secrets', 'ci', name)?.['data'])
    return Buffer.from(proxyUrl, 'base64').toString()
  })
}

it('starts no runner without the login, and gives each later runner the login of that time', async () => {
  const stage = await openStage({ forgeMs: 150, apiMs: 50, spec: { runner: { proxy } } })
  queue(stage, 1)
  await stage.clock.advance(10_000)
  expect(podNames(stage)).toEqual([])
  const connected = status(stage).conditions?.find(({ type }) => type === 'ForgeConnected')
  expect(connected?.message).toContain('kubectl create secret generic proxy-login -n ci --from-file=username=FILE')
  stage.registry.create('secrets', login('one'))
  await stage.clock.advance(60_000)
  expect(urlsOf(stage)).toEqual(['http://joe:one@proxy.test:3128'])
  stage.registry.update('secrets', { ...stage.registry.get('secrets', 'ci', 'proxy-login'), ...login('t:wo') })
  await stage.clock.advance(60_000)
  queue(stage, 1)
  await stage.clock.advance(10_000)
  expect(urlsOf(stage).toSorted()).toEqual(['http://joe:one@proxy.test:3128', 'http://joe:t%3Awo@proxy.test:3128'])
})

it('starts the next runner with the login when the set gets a proxy', async () => {
  const stage = await openStage({ forgeMs: 150, apiMs: 50 })
  stage.registry.create('secrets', login('one'))
  await stage.clock.advance(5_000)
  const set = stage.registry.get('runnersets.dayfly.dev', 'ci', 'linux')
  stage.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...Object(set?.['spec']), runner: { proxy } } })
  queue(stage, 1)
  await stage.clock.advance(10_000)
  expect(urlsOf(stage)).toEqual(['http://joe:one@proxy.test:3128'])
})
