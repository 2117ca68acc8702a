// The page in the browser: roles, names, contrasts and widths are facts of the rendered page, so no other test sees them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAccess } from './access.ts'
import { type OpenedPage, show, useBrowser } from './pages.ts'
import { type SampleServer, serveSample } from './sample-server.ts'

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
    await checkAccess(page)
  })

  it.each([
    ['now', '#/', 'No runner set exists yet'],
    ['trends', '#/trends', 'Half of'],
    ['failures', '#/failures', 'No'],
  ])('%s of a world without sets', async (_name, hash, text) => {
    const { page } = openedEmpty
    await show(page, hash)
    await page.getByText(text).first().waitFor()
    await checkAccess(page)
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
