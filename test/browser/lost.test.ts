// A network that fails between page and server. Only a real connection ends in the ways that a browser reports.
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Snapshot } from '../../packages/dashboard/src/model/page-state.ts'
import { until } from '../cli.ts'
import { checkAccess } from './access.ts'
import { useBrowser, waitMs } from './pages.ts'
import { type SampleServer, serveSample } from './sample-server.ts'
import { openProxy, type TcpProxy } from './tcp-proxy.ts'

const browser = useBrowser()
let server: SampleServer
let proxy: TcpProxy

beforeAll(async () => {
  server = await serveSample()
  proxy = await openProxy(server.origin)
})
afterAll(async () => {
  await proxy?.close()
  await server?.close()
})

const snapshot = async () => (await (await fetch(`${server.origin}/api/snapshot`)).json()) as Snapshot

/** The numbers of each set on the page, in the order of the snapshot. */
async function shownSets(page: Page) {
  const numbers = async (id: string) => {
    const row = page.locator('table.sets tr', { has: page.getByRole('link', { name: id, exact: true }) })
    const cell = async (name: string) => Number(await row.locator(`td[data-name="${name}"]`).textContent())
    return { id, starting: await cell('Starting'), idle: await cell('Idle'), busy: await cell('Busy') }
  }
  return Promise.all((await snapshot()).sets.map(({ id }) => numbers(id)))
}

async function servedSets() {
  const { sets } = await snapshot()
  return sets.map(({ id, counts }) => ({ id, starting: counts?.starting, idle: counts?.idle, busy: counts?.busy }))
}

/** Waits until the page has the numbers of the server, whose own numbers may be a second old. */
async function sameAsServed(page: Page): Promise<void> {
  const both = async () => ({ shown: await shownSets(page), served: await servedSets() })
  await expect.poll(both, { timeout: waitMs }).toSatisfy(({ shown, served }) => isDeepStrictEqual(shown, served))
}

describe('a page whose connection is cut', () => {
  it('turns grey, says since when it is old, and goes on by itself with the right state', async () => {
    const { page, close } = await browser.open('about:blank')
    // The page counts half a minute of silence. Its clock jumps, and the test does not wait.
    await page.clock.install()
    await page.goto(proxy.origin)
    await page.locator('table.sets').waitFor()
    await sameAsServed(page)
    proxy.cut()
    await page.getByText('The connection was lost.').waitFor()
    await page.clock.fastForward(35_000)
    const line = page.getByRole('status').filter({ hasText: 'Disconnected.' })
    await line.waitFor()
    expect(await line.textContent()).toMatch(/shows the state of \d\d:\d\d:\d\d, \d+ s ago\./)
    expect(await page.evaluate('getComputedStyle(document.querySelector(".page.lost main")).filter')).toContain(
      'grayscale',
    )
    await checkAccess(page)
    for (let step = 0; step < 20; step++) server.sample.step(server.now())
    proxy.repair()
    await until('the page is connected again', waitMs, async () => {
      await page.clock.fastForward(10_000)
      return (await page.locator('.page.lost').count()) === 0
    })
    await sameAsServed(page)
    expect(await page.locator('.link-state').textContent()).toBe('')
    const { lives } = await snapshot()
    await page.getByText(`${lives.length} runners`, { exact: true }).waitFor()
    await close()
  })

  it('says what is wrong and tries again if it never had data', async () => {
    const { page, close } = await browser.open(proxy.origin)
    await page.locator('table.sets').waitFor()
    await page.route('**/api/snapshot', (route) => route.abort())
    await page.reload()
    await page.getByText('The page has no data yet.').waitFor()
    await page.unroute('**/api/snapshot')
    await page.locator('table.sets').waitFor()
    await close()
  })
})

it('a page without a token shows where to get one, and opens with it', async () => {
  const token = 'the-token-of-this-test'
  const closed = await serveSample({
    gate: async ({ headers }) =>
      headers['authorization'] === `Bearer ${token}`
        ? { is: 'admitted', scope: { key: '*', sees: () => true } }
        : { is: 'refused', status: 401, sentence: 'This page needs an identity.', next: 'Give a token.' },
  })
  const { page, close } = await browser.open(closed.origin)
  await page.getByText('This page needs a token').waitFor()
  await checkAccess(page)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.locator('table.sets').waitFor()
  expect(page.url()).not.toContain(token)
  await close()
  await closed.close()
})

it('a page whose browser gives no textures draws plain bars, and has textures as soon as it gives them', async () => {
  const { page, faults, close } = await browser.open(server.origin)
  await page.addInitScript(`
    const { createPattern } = CanvasRenderingContext2D.prototype
    let refusals = 6
    CanvasRenderingContext2D.prototype.createPattern = function (...image) {
      if (refusals-- > 0) throw new DOMException('The canvas height is 0.', 'InvalidStateError')
      document.title = 'textures'
      return createPattern.apply(this, image)
    }
  `)
  await page.reload()
  await expect.poll(() => page.title(), { timeout: waitMs }).toBe('textures')
  expect(faults).toEqual([])
  await close()
})
