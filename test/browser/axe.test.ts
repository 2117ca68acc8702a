// The page in the browser: roles, names, contrasts and widths are facts of the rendered page, so no other test sees them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenedPage, show, useBrowser } from './pages.ts'
import { type SampleServer, serveSample } from './sample-server.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const browser = useBrowser()
let full: SampleServer
let empty: SampleServer
let opened: OpenedPage
let openedEmpty: OpenedPage

beforeAll(async () => {
  full = await serveSample({ silent: 1, prices: true })
  empty = await serveSample({ sets: 0, runners: 0, gone: 0, failing: 0, waiting: 0 })
  opened = await browser.open(full.origin)
  openedEmpty = await browser.open(empty.origin)
  for (const { page } of [opened, openedEmpty]) await page.evaluate(axeSource)
})
afterAll(async () => {
  await Promise.all([opened?.close(), openedEmpty?.close()])
  await Promise.all([full?.close(), empty?.close()])
})

/** Each page of the full world: its address, and a text that it has once it is whole. */
const pages = {
  now: ['#/', 'What waits'],
  set: ['#/set/ci%2Flinux', 'Conditions'],
  'runner that runs': ['#/runner/LIVE', 'npm test'],
  'runner that is gone': ['#/runner/GONE', 'The pod and its log are gone'],
  failures: ['#/failures', 'quota'],
  trends: ['#/trends', 'Share of capacity'],
  costs: ['#/costs', 'By workflow'],
  health: ['#/health', 'Prices'],
  find: ['#/find?q=lint', 'octo/'],
  'find without an answer': ['#/find?q=nothing-has-this-name', 'No job was found'],
} as const

describe('has no violation of accessibility rules, and fits a phone', () => {
  it.each(Object.entries(pages))('%s', async (_name, [hash, text]) => {
    const { page } = opened
    await show(page, withRunner(hash))
    await page.getByText(text).first().waitFor()
    await check(page)
  })

  it.each([
    ['now', '#/', 'No runner set exists yet'],
    ['trends', '#/trends', 'Half of'],
    ['failures', '#/failures', 'No'],
  ])('%s of a world without sets', async (_name, hash, text) => {
    const { page } = openedEmpty
    await show(page, hash)
    await page.getByText(text).first().waitFor()
    await check(page)
  })
})

it('asks nothing of another host, and breaks no content policy', () => {
  expect([...opened.faults, ...openedEmpty.faults]).toEqual([])
})

/** A runner of the sample in the wanted phase. */
function withRunner(hash: string): string {
  const lives = [...full.sample.lives.values()]
  const live = lives.find(({ phase }) => phase === 'busy')
  const gone = lives.find(({ phase, problem }) => phase === 'gone' && problem !== null)
  return hash.replace('LIVE', encodeURIComponent(live!.id)).replace('GONE', encodeURIComponent(gone!.id))
}

/** Checks the page that is shown in both widths and themes. Only colours differ by theme. */
export async function check(page: Page): Promise<void> {
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 900 })
    await useTheme(page, 'light')
    expect(await widthOf(page), `pixels of the document at ${width} px`).toBeLessThanOrEqual(width)
    expect(await violations(page, {})).toEqual([])
    await useTheme(page, 'dark')
    expect(await violations(page, { runOnly: ['color-contrast'] })).toEqual([])
  }
}

/** A colour that still changes to the other theme has no contrast of its own. */
async function useTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  })
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}

async function violations(page: Page, options: RunOptions): Promise<readonly string[]> {
  const { violations: found } = await page.evaluate(
    (given) => (window as unknown as { axe: { run(options: unknown): Promise<AxeResults> } }).axe.run(given),
    { ...options, resultTypes: ['violations'] },
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(' ')} (${any[0]?.message ?? ''})`),
  )
}
