// Measures the frames of a page for some seconds: how far apart they are, how long tasks block, and what a frame costs.
import type { Page } from 'playwright-core'

export type Frames = {
  readonly count: number
  /** The time from one frame to the next, in milliseconds. Other work of the machine counts. */
  readonly apart: Percentiles
  /** The processor time of the page's main thread between two frames. Other work of the machine does not count. */
  readonly work: Percentiles
  /** Tasks of over 50 ms, and long animation frames. */
  readonly longTasks: number
  readonly longFrames: number
}

export type Percentiles = { readonly p50: number; readonly p95: number; readonly p99: number; readonly most: number }

type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly tdur?: number
}
type Seen = { readonly times: readonly number[]; readonly longTasks: number; readonly longFrames: number }

export async function measureFrames(page: Page, seconds: number): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
  const includedCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline']
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } })
  const { times, longTasks, longFrames } = await page.evaluate<Seen>(watchFrames(seconds))
  await session.send('Tracing.end')
  await complete
  const apart = percentiles(times.slice(1).map((at, index) => at - (times[index] ?? at)))
  return { count: times.length, apart, work: percentiles(workOfFrames(events)), longTasks, longFrames }
}

function watchFrames(seconds: number): string {
  return `new Promise((resolve) => {
    const seen = { times: [], longTasks: 0, longFrames: 0 }
    const count = (type, key) => {
      const observer = new PerformanceObserver((list) => { seen[key] += list.getEntries().length })
      if (PerformanceObserver.supportedEntryTypes.includes(type)) observer.observe({ type })
    }
    count('longtask', 'longTasks')
    count('long-animation-frame', 'longFrames')
    const end = performance.now() + ${seconds * 1_000}
    const frame = (at) => {
      seen.times.push(at)
      if (at < end) requestAnimationFrame(frame)
      else resolve(seen)
    }
    requestAnimationFrame(frame)
  })`
}

/** Returns the processor time of the tasks between one frame and the next, in milliseconds. */
function workOfFrames(events: readonly TraceEvent[]): readonly number[] {
  const first = events.find(({ name }) => name === 'FireAnimationFrame')
  const ours = events.filter(({ pid, tid }) => pid === first?.pid && tid === first.tid)
  const tasks = ours.filter(({ name }) => name === 'RunTask').sort((a, b) => a.ts - b.ts)
  const starts = [...new Set(ours.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts))].sort(
    (a, b) => a - b,
  )
  let index = 0
  return starts.slice(1).map((end) => {
    let sum = 0
    for (; (tasks[index]?.ts ?? Number.POSITIVE_INFINITY) < end; index++) sum += (tasks[index]?.tdur ?? 0) / 1_000
    return sum
  })
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) }
}
