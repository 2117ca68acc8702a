import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeExchange, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Budget } from '../calls/budget.ts'
import { SharedLimits } from '../calls/shared-limits.ts'
import { parseConfigUrl } from '../config-url.ts'
import { createGitHubForge } from '../github.ts'
import { readCredential } from './credential.ts'

let apps: readonly TestApp[]
const emulators: GitHubEmulator[] = []
beforeAll(() => {
  apps = [testApp(1), testApp(2), testApp(3)]
})
afterEach(() => {
  for (const emulator of emulators.splice(0)) emulator.close()
})

const set: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 }
const entries = (count: number) =>
  Object.assign(
    {},
    ...apps.slice(0, count).map((app, index) => app.entries({ suffix: index === 0 ? '' : `.${index + 1}` })),
  )

/** An account with some Apps at 150 ms of latency. Short admin tokens make it ask for registration tokens often. */
function account(count: number, knobs: KnobChange = {}, limits = new SharedLimits(), url = 'http://github.test/acme') {
  const clock = virtualClock()
  const random = seededRandom(1)
  const all = { adminTtlS: 120, longPollMs: 5_000, latencyMs: 150, ...knobs }
  const emulator = createGitHubEmulator({ clock, random, apps: apps.map(({ app }) => app), knobs: all })
  emulators.push(emulator)
  const exchanges: ForgeExchange[] = []
  const forge = createGitHubForge({
    url,
    credential: readCredential(entries(count), 'github'),
    transport: emulator.transport,
    clock,
    random,
    userAgent: 'dayfly/test',
    limits,
    onExchange: (exchange) => exchanges.push(exchange),
  })
  const stop = new AbortController()
  const open = () => pass(clock, forge.open(set, { scaleSetId: '', creating: 'linux' }, stop.signal))
  const tokensOf = () =>
    exchanges
      .splice(0)
      .flatMap(({ operation, budget, code }) =>
        operation === 'create-registration-token' ? [[budget?.account.split(' App ')[1], code]] : [],
      )
  return { clock, emulator, forge, open, exchanges, tokensOf, stop }
}

async function pass<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  while (!settled) {
    await clock.advance(0)
    if (!settled) await clock.advance(Math.max(0, (clock.next() ?? clock.now()) - clock.now()))
  }
  return promise
}

/** Uses the admin token once a minute. */
async function work(clock: VirtualClock, link: Link, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(61_000)
    await pass(clock, link.registrations())
  }
}

/** Reads the events of a link forever. */
async function drain(
  events: AsyncIterable<{ ack(): void; readonly events: readonly { readonly kind: string }[] }>,
  kinds: string[],
) {
  for await (const batch of events) {
    kinds.push(...batch.events.map(({ kind }) => kind))
    batch.ack()
  }
}

describe('several Apps in one Secret', () => {
  test('the one with the most budget left is used, and one that is not known yet comes first', async () => {
    const { emulator, clock, open, tokensOf, stop } = account(3)
    emulator.control.installation(10, { remaining: 900 })
    emulator.control.installation(20, { remaining: 2_000 })
    emulator.control.installation(30, { remaining: 100 })
    const link = await open()
    void drain(link.events(), [])
    await work(clock, link, 10)
    const used = tokensOf().map(([app]) => app)
    expect(used.slice(0, 3)).toEqual(['1', '2', '3'])
    expect(new Set(used.slice(3))).toEqual(new Set(['2']))
    expect(used.length).toBeGreaterThan(6)
    stop.abort()
  })

  test('one that is exhausted and one that is revoked are left out until their time, and nothing fails', async () => {
    const { emulator, clock, open, tokensOf, stop } = account(3)
    emulator.control.installation(10, { remaining: 0 })
    emulator.control.installation(20, { suspended: true })
    const link = await open()
    const kinds: string[] = []
    void drain(link.events(), kinds)
    await work(clock, link, 5)
    const tokens = tokensOf()
    expect(tokens.filter(([app]) => app === '1')).toEqual([['1', 403]])
    expect(tokens.filter(([app]) => app === '3').length).toBeGreaterThan(2)
    expect(kinds).not.toContain('failing')
    const asked = () => emulator.control.requests().filter(({ path }) => path.endsWith('/20/access_tokens')).length
    expect(asked()).toBe(1)
    emulator.control.installation(20, { suspended: false, remaining: 4_999 })
    await work(clock, link, 12)
    expect(tokensOf().some(([app]) => app === '2')).toBe(true)
    stop.abort()
  })

  test('when every budget is spent, a registration is limited until the first reset, and then it works', async () => {
    const { emulator, clock, open, stop } = account(2)
    const link = await open()
    const kinds: string[] = []
    void drain(link.events(), kinds)
    await clock.advance(5_000)
    expect(await pass(clock, link.register('linux-a'))).toMatchObject({ is: 'registered' })
    for (const id of [10, 20]) emulator.control.installation(id, { remaining: 0 })
    await clock.advance(130_000)
    expect(await pass(clock, link.register('linux-b'))).toMatchObject({ is: 'limited', reason: 'budget' })
    const { limit } = link.allowance()
    expect(limit?.until).toBeGreaterThan(clock.now() + 50 * 60_000)
    expect(link.allowance()).toEqual({ now: 0, nextAt: limit?.until, limit: { reason: 'budget', until: limit?.until } })
    const sent = emulator.control.requests().length
    expect(await pass(clock, link.register('linux-b'))).toEqual({ is: 'limited', ...limit })
    expect(emulator.control.requests().length).toBe(sent)
    await clock.advance((limit?.until ?? 0) - clock.now() + 60_000)
    expect(await pass(clock, link.register('linux-b'))).toMatchObject({ is: 'registered' })
    expect(link.allowance().limit).toBeUndefined()
    stop.abort()
  })

  test('when GitHub refuses all of them, the failure names one, and each is asked again', async () => {
    const { emulator, clock, forge, stop, open } = account(2)
    for (const id of [10, 20]) emulator.control.installation(id, { suspended: true })
    const refused = await pass(
      clock,
      forge.open(set, undefined, stop.signal).catch((error: unknown) => error),
    )
    expect(refused).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('github_app_id') })
    emulator.control.installation(20, { suspended: false })
    await expect(open()).rejects.toMatchObject({ kind: 'unauthorized' })
    expect(await open()).toBeDefined()
    stop.abort()
  })
})

describe('sets that share a limit', () => {
  test('share the pace of their target, also with different Apps and another spelling', async () => {
    const limits = new SharedLimits()
    const one = account(1, {}, limits)
    const other = account(2, {}, limits, 'http://github.test/ACME/')
    const elsewhere = account(1, {}, limits, 'http://github.test/acme/shop')
    const links = [await one.open(), await other.open(), await elsewhere.open()]
    for (let index = 0; index < 1_499; index++)
      limits.pace(parseConfigUrl('http://github.test/acme')).take(one.clock.now())
    expect(links.map((link) => link.allowance().now)).toEqual([1, 1, 1_500])
    for (const { stop } of [one, other, elsewhere]) stop.abort()
  })

  test('wait for the points of one minute that GitHub grants a credential, and no longer than 30 s', () => {
    const budget = new Budget(true)
    for (let call = 0; call < 180; call++) expect(budget.take(5, call * 100)).toBeUndefined()
    expect(budget.take(5, 20_000)).toBe(60_000)
    expect(budget.take(6, 20_000)).toBe(60_100)
    expect(budget.take(5, 60_000)).toBeUndefined()
    const unpaced = new Budget(false)
    for (let call = 0; call < 1_000; call++) expect(unpaced.take(5, 0)).toBeUndefined()
  })
})

test('each request reaches the observer with its operation, its code, its time and the budget of its App', async () => {
  const { emulator, clock, open, exchanges, stop } = account(1, { adminTtlS: 3_600 })
  const link = await open()
  void drain(link.events(), [])
  await clock.advance(6_000)
  await pass(clock, link.register('linux-a'))
  await pass(clock, link.registrations())
  await pass(clock, link.deregister({ id: '1', name: 'linux-a', status: 'offline', busy: false }))
  const seen = exchanges.map(({ operation, code }) => `${operation} ${code}`)
  expect(seen.slice(0, 8)).toEqual([
    'create-installation-token 201',
    'create-registration-token 201',
    'connect 201',
    'find-group 200',
    'find-set 200',
    'create-set 200',
    'open-session 200',
    'poll 202',
  ])
  expect(seen).toEqual(expect.arrayContaining(['register 200', 'list-registrations 200', 'deregister 204']))
  expect(exchanges.map(({ budget }) => budget).filter(Boolean)).toEqual([
    { account: 'http://github.test/acme App 1', remaining: 4_999 },
  ])
  expect(exchanges.find(({ operation }) => operation === 'connect')?.ms).toBe(150)
  const logged = emulator.control.requests().length
  stop.abort()
  await clock.advance(1_000)
  expect(exchanges.at(-1)).toMatchObject({ operation: 'poll', code: 'aborted' })
  expect(exchanges.length).toBe(logged)
})
