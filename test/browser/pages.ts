// Opens pages in the one Chromium of the tests, and records what a page must never do.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'

/** A machine that does other work needs up to ten times the usual. */
export const waitMs = 60_000

export type OpenedPage = {
  readonly page: Page
  /** Errors of the console, violations of the content policy, and requests to other hosts. */
  readonly faults: readonly string[]
  /** The body of each answer that the page got. */
  readonly bodies: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** Connects once for a test file. */
export function useBrowser(): { open(address: string, options?: BrowserContextOptions): Promise<OpenedPage> } {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.connect(inject('chromium'))
  })
  afterAll(() => browser?.close())
  return { open: (address, options) => openIn(browser, address, options) }
}

export async function openIn(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(waitMs)
  const page = await context.newPage()
  const { faults, bodies } = watch(page, new URL(address).origin)
  await page.goto(address)
  return { page, faults, bodies, close: () => context.close() }
}

/** Shows another address of the page, as a link does: without loading the document again. */
export async function show(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.assign(${JSON.stringify(hash)})`)
}

/** Returns what the page's scripts hold, after a collection of garbage. The page itself sees a rounded number only. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

function watch(page: Page, origin: string) {
  const faults: string[] = []
  const answers: Promise<string>[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`)
  })
  page.on('response', (response) => {
    // A stream has no end, so its body cannot be read here.
    if (/\/api\/(changes|log)/.test(response.url())) return
    answers.push(response.text().catch(() => ''))
  })
  return { faults, bodies: () => Promise.all(answers) }
}
