// The server of the measured page in a process of its own, so that its processor time and memory are its own.
import { systemClock } from '@dayfly/kit/system'
import { serveJournal } from '../test/browser/journal-server.ts'
import { createJournalWorld } from '../test/browser/journal-world.ts'

export type Ask = 'usage' | 'hour' | 'end'
export type Usage = { readonly cpuMs: number; readonly rssMb: number; readonly heapMb: number }
export type Reported = { readonly origin: string } | Usage

const [sets = 20, runners = 1_000, changesPerSecond = 100] = process.argv.slice(2).map(Number)
const clock = systemClock()
let aheadMs = 0
const now = () => clock.now() + aheadMs
const world = createJournalWorld({ sets, runners }, now())
const server = await serveJournal(world, { ...clock, now })

/** A journal gets its entries one by one, and not in a heap once a second. */
const everyMs = 50
let isFast = false
let due = 0
const timer = setInterval(() => {
  if (isFast) return
  due += (changesPerSecond * everyMs) / 1_000
  world.move(Math.floor(due), now())
  due %= 1
}, everyMs)

process.on('message', async (ask: Ask) => {
  if (ask === 'end') {
    clearInterval(timer)
    await server.close()
    return process.disconnect()
  }
  if (ask === 'hour') await passAnHour()
  global.gc?.()
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  report({ cpuMs: (user + system) / 1_000, rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 })
})
report({ origin: server.origin })

function report(reported: Reported): void {
  process.send?.(reported)
}

/** Only the time of the journal passes. The server answers its viewers between two seconds of it. */
async function passAnHour(): Promise<void> {
  isFast = true
  for (let second = 0; second < 3_600; second++) {
    aheadMs += 1_000
    world.move(changesPerSecond, now())
    await new Promise((resolve) => setImmediate(resolve))
  }
  isFast = false
}
