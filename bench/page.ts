// Measures the page with runners that change, and the server behind it. It prints figures and judges none.
//   npm run bench:page [-- --runners 1000 --changes 100 --seconds 20]
// The journal is written; the history, the server and the page are the real ones.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Snapshot } from '../packages/dashboard/src/model/page-state.ts'
import { launchChromium } from '../test/browser/chromium.ts'
import { type Collected, collect } from '../test/browser/collected.ts'
import { heapBytes, openIn } from '../test/browser/pages.ts'
import { pageFolder } from '../test/browser/sample-server.ts'
import { until } from '../test/cli.ts'
import { measureFrames, type Percentiles } from './page-frames.ts'
import type { Ask, Reported, Usage } from './page-process.ts'

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: '20' },
    runners: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
  },
})
const seconds = Number(options.seconds)

const rows: (readonly [what: string, value: string])[] = []
const server = await startServer()
const browser = await launchChromium()
try {
  rows.push(['load of the machine, before', loadavg()[0]?.toFixed(1) ?? '?'])
  sizes()
  await clients()
  await frames()
} finally {
  await browser.close()
  await server.end()
}
rows.push(['load of the machine, after', loadavg()[0]?.toFixed(1) ?? '?'])
const width = Math.max(...rows.map(([what]) => what.length))
for (const [what, value] of rows) process.stdout.write(`${what.padEnd(width)}  ${value}\n`)

async function startServer() {
  const file = path.join(import.meta.dirname, 'page-process.ts')
  const { sets, runners, changes } = options
  const child = fork(file, [sets, runners, changes], { execArgv: ['--import', 'tsx', '--expose-gc'] })
  const next = async () => (await once(child, 'message'))[0] as Reported
  const { origin } = (await next()) as { readonly origin: string }
  const ask = async (what: Ask) => {
    const answer = next()
    child.send(what)
    return (await answer) as Usage
  }
  const end = async () => {
    const exit = once(child, 'exit')
    child.send('end' satisfies Ask)
    await exit
  }
  return { origin, ask, end }
}

/** The files that a browser loads. */
function sizes(): void {
  for (const name of readdirSync(pageFolder).sort()) {
    const bytes = readFileSync(path.join(pageFolder, name))
    rows.push([`size of ${name}`, `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`])
  }
}

/** The processor time of the server, as a part of one core. Without a viewer it is the cost of the journal alone. */
async function clients(): Promise<void> {
  const base = await partOfCore(0)
  rows.push(['server without a viewer', percent(base)])
  for (const count of [1, 10]) {
    const part = await partOfCore(count)
    const each = (part - base) / count
    rows.push([`server with ${count} viewer${count === 1 ? '' : 's'}`, `${percent(part)}, ${percent(each)} each`])
  }
}

async function partOfCore(count: number): Promise<number> {
  const viewers: readonly Collected[] = Array.from({ length: count }, () => collect(`${server.origin}/api/changes`))
  // The first snapshots are another cost than the changes.
  await sleep(2_000)
  const before = await server.ask('usage')
  const started = performance.now()
  await sleep(seconds * 1_000)
  const after = await server.ask('usage')
  const part = (after.cpuMs - before.cpuMs) / (performance.now() - started)
  for (const viewer of viewers) await viewer.close()
  return part
}

async function frames(): Promise<void> {
  const { page } = await openIn(browser, server.origin)
  await page.locator('table.runner-rows').waitFor()
  const paint = await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime')
  rows.push(['first paint', `${paint.toFixed(0)} ms`])
  await page.evaluate('document.getElementById("runners").scrollIntoView()')
  const { count, apart, work, longTasks, longFrames } = await measureFrames(page, seconds)
  rows.push([`${count} frames: time to the next`, line(apart)])
  rows.push(['processor time of a frame', line(work)])
  rows.push(['tasks over 50 ms', `${longTasks}, and ${longFrames} long animation frames`])
  memory('at the start', await heapBytes(page), await server.ask('usage'))
  const usage = await server.ask('hour')
  const { lives } = (await (await fetch(`${server.origin}/api/snapshot`)).json()) as Snapshot
  await until('the page shows the end of the hour', 60_000, async () => {
    const shown = Number((await page.locator('.filters-count').textContent())?.replace(/\D/g, ''))
    return shown >= lives.length
  })
  memory('after an hour of the journal', await heapBytes(page), usage)
  const later = await server.ask('hour')
  memory('after two hours of the journal', await heapBytes(page), later)
}

function memory(when: string, heap: number, { rssMb, heapMb }: Usage): void {
  rows.push([`memory ${when}: page`, `${(heap / 2 ** 20).toFixed(0)} MB of scripts`])
  rows.push([`memory ${when}: server`, `${rssMb.toFixed(0)} MB, of it ${heapMb.toFixed(0)} MB of objects`])
}

function line({ p50, p95, p99, most }: Percentiles): string {
  return `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${most.toFixed(1)} ms`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} % of a core`
}
