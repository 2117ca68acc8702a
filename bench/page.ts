// Measures the web page in Chromium: its size, its frames with runners that change, and its accessibility.
//   npx tsx bench/page.ts [--runners 1000] [--seconds 12]
// A frame is counted by the processor time of the page's main thread, so that other work of the machine does not count.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type PageServer, servePage } from '../scripts/page-server.ts'

const { values: options } = parseArgs({
  options: { runners: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '12' } },
})
const pages = ['#/', '#/set/ci%2Farm', '#/find?q=main', '#/failures', '#/trends', '#/costs', '#/health', '#/other']
const executablePath = '/usr/bin/chromium'

const server = await servePage({
  size: { sets: 20, runners: Number(options.runners), gone: 1_000, failing: 2, waiting: 30, silent: 1 },
  stepMs: 250,
  port: 0,
  prefix: '/behind/a/proxy/',
  isPriced: true,
})
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  reportSizes(server)
  await reportFrames(browser, server)
  await reportViolations(browser, server)
} finally {
  await browser.close()
  await server.close()
}

function reportSizes({ folder }: PageServer): void {
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(path.join(folder, name))
    print(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`)
  }
}

type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly tdur?: number
}

async function reportFrames(browser: Browser, { address }: PageServer): Promise<void> {
  const page = await openPage(browser, address, { width: 1280, height: 900 })
  await page.evaluate("document.getElementById('runners').scrollIntoView()")
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
  const includedCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline']
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } })
  await page.evaluate(`new Promise((resolve) => {
    const end = performance.now() + ${Number(options.seconds) * 1_000}
    const frame = (at) => at < end ? requestAnimationFrame(frame) : resolve()
    requestAnimationFrame(frame)
  })`)
  await session.send('Tracing.end')
  await complete
  const work = workOfFrames(events).sort((a, b) => a - b)
  const at = (part: number) => (work[Math.floor((work.length - 1) * part)] ?? 0).toFixed(1)
  print(`${work.length} frames: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`)
  await page.context().close()
}

/** Returns the processor time of the tasks between one frame and the next, in milliseconds. */
function workOfFrames(events: readonly TraceEvent[]): number[] {
  const first = events.find(({ name }) => name === 'FireAnimationFrame')
  const ours = events.filter(({ pid, tid }) => pid === first?.pid && tid === first.tid)
  const tasks = ours.filter(({ name }) => name === 'RunTask')
  const frames = ours.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts)
  const starts = [...new Set(frames)].sort((a, b) => a - b)
  return starts.slice(1).map((end, index) => {
    const begin = starts[index] ?? 0
    const within = tasks.filter(({ ts }) => ts >= begin && ts < end)
    return within.reduce((sum, { tdur }) => sum + (tdur ?? 0) / 1_000, 0)
  })
}

async function reportViolations(browser: Browser, { address }: PageServer): Promise<void> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  let checked = 0
  let violations = 0
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      const page = await openPage(browser, address, { width, height: 900 }, colorScheme)
      await page.addScriptTag({ content: source })
      for (const hash of pages) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
        await page.waitForTimeout(800)
        const found = (await page.evaluate('axe.run()')) as axe.AxeResults
        checked++
        violations += found.violations.length
        for (const { id, help, nodes } of found.violations) {
          print(`${colorScheme} ${width} ${hash} ${id}: ${help}: ${nodes[0]?.html}`)
        }
      }
      await page.context().close()
    }
  }
  print(`axe: ${violations} violations on ${checked} pages`)
}

async function openPage(
  browser: Browser,
  address: string,
  viewport: { readonly width: number; readonly height: number },
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Page> {
  // Only the measurement adds a script to the page, so only here the policy of the page does not hold.
  const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true })
  const page = await context.newPage()
  page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
  await page.goto(address)
  await page.waitForTimeout(2_000)
  return page
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
