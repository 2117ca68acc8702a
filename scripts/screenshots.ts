// Makes the pictures of docs/images from sample data, always the same: npm run screenshots
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { openIn, show } from '../test/browser/pages.ts'
import { type SampleServer, serveSample } from '../test/browser/sample-server.ts'

const folder = path.resolve(import.meta.dirname, '../docs/images')
/** Tuesday, 10 March 2026, at 10:24 in UTC. */
const begin = Date.UTC(2026, 2, 10, 10, 24)
const kilobytesMax = 150

type Picture = {
  readonly name: string
  readonly size: readonly [width: number, height: number]
  readonly theme: 'light' | 'dark'
  readonly address: (server: SampleServer) => string
  /** A text that the page has once it is whole. */
  readonly text: string
  /** The id of the heading at the top of the picture; without it, the page's own top. */
  readonly part?: string
}

const pictures: readonly Picture[] = [
  { name: 'page-now', size: [1_100, 900], theme: 'light', address: () => '#/', text: 'What waits' },
  { name: 'page-runners', size: [1_100, 860], theme: 'dark', address: () => '#/', text: 'What waits', part: 'runners' },
  { name: 'page-runner', size: [1_000, 1_060], theme: 'light', address: busyRunner, text: '118 tests passed' },
  { name: 'page-phone', size: [360, 760], theme: 'light', address: () => '#/', text: 'What waits' },
]

mkdirSync(folder, { recursive: true })
const server = await serveSample({ begin, sets: 6, runners: 34, gone: 160, waiting: 4, prices: true })
const browser = await launchChromium()
try {
  for (const picture of pictures) await take(browser, picture)
} finally {
  await browser.close()
  await server.close()
}

async function take(
  browser: Browser,
  { name, size: [width, height], theme, address, text, part }: Picture,
): Promise<void> {
  const options = {
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    deviceScaleFactor: 1,
  } as const
  const { page, close } = await openIn(browser, server.origin, options)
  await show(page, address(server))
  await page.getByText(text).first().waitFor()
  if (part !== undefined) await page.evaluate(`document.getElementById('${part}').scrollIntoView()`)
  await drawn(page)
  const file = path.join(folder, `${name}.png`)
  await page.screenshot({ path: file })
  await close()
  const kilobytes = Math.ceil(statSync(file).size / 1_024)
  process.stdout.write(`${path.relative(process.cwd(), file)}: ${width} × ${height}, ${kilobytes} KB\n`)
  if (kilobytes > kilobytesMax) throw new Error(`${name}.png is larger than ${kilobytesMax} KB`)
}

/** The bars are drawn a frame after their data. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

function busyRunner({ sample }: SampleServer): string {
  const life = [...sample.lives.values()].find(({ phase }) => phase === 'busy')
  if (!life) throw new Error('the sample has no runner with a job')
  return `#/runner/${encodeURIComponent(life.id)}`
}
