// An installation with 200 sets and 10,000 runners. Only a browser can show that a page of this size still opens and scrolls.
// The journal is written and not lived: history, server and page are the real ones.
import { systemClock } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveJournal } from './journal-server.ts'
import { createJournalWorld, type JournalWorld } from './journal-world.ts'
import { heapBytes, type OpenedPage, useBrowser } from './pages.ts'

const browser = useBrowser()
const size = { sets: 200, runners: 10_000 }
let world: JournalWorld
let server: Awaited<ReturnType<typeof serveJournal>>
let opened: OpenedPage

beforeAll(async () => {
  const clock = systemClock()
  world = createJournalWorld(size, clock.now())
  server = await serveJournal(world, clock)
})
afterAll(async () => {
  await opened?.close()
  await server?.close()
})

it('shows 10,000 runners soon', async () => {
  const started = performance.now()
  opened = await browser.open(server.origin)
  const { page } = opened
  await page.getByText('10,000 runners', { exact: true }).waitFor()
  const shownMs = performance.now() - started
  const paintMs = await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime')
  const heapMb = (await heapBytes(page)) / 2 ** 20
  console.log(
    `10,000 runners: first paint ${paintMs.toFixed(0)} ms, shown ${shownMs.toFixed(0)} ms, heap ${heapMb.toFixed(0)} MB`,
  )
  expect(paintMs).toBeLessThan(10_000)
  expect(heapMb).toBeLessThan(500)
})

it('has only the rows that are visible, and the last one after a jump to the end', async () => {
  const { page } = opened
  const rows = page.locator('table.runner-rows tbody tr:not(.space)')
  expect(await rows.count()).toBeLessThan(60)
  await page.evaluate('document.querySelector(".rows").scrollTo(0, 10_000 * 44)')
  await page.locator('table.runner-rows tr[aria-rowindex="10001"]').waitFor()
  expect(await rows.count()).toBeLessThan(60)
})

it('filters to the 50 runners of one set', async () => {
  const { page } = opened
  const [set] = world.sets(0)
  await page.getByRole('combobox', { name: /^Set/ }).selectOption(set!.id)
  await page.getByText('50 runners', { exact: true }).waitFor()
  const names = await page.locator('table.runner-rows tbody tr:not(.space) td:nth-child(5)').allTextContents()
  expect(new Set(names)).toEqual(new Set([set!.id]))
})

it('follows changes without an error', async () => {
  const { page, faults } = opened
  // The last filter left the table at its end.
  await page.evaluate('document.querySelector(".rows").scrollTo(0, 0)')
  const name = page.locator('table.runner-rows tr[aria-rowindex="2"] th')
  const before = await name.textContent()
  // The newest runner comes first: a life that ends brings its successor to the top.
  world.move(8 * size.runners, Date.now())
  await expect.poll(() => name.textContent(), { timeout: 60_000 }).not.toBe(before)
  expect(faults).toEqual([])
})
