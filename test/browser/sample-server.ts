// Serves the page over its sample data with the real server, so that a test or a picture shows every state.
import path from 'node:path'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { httpServer } from '@dayfly/kit/http-server'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { find } from '../../packages/dashboard/src/history/find.ts'
import { timelineOf, usualOf } from '../../packages/dashboard/src/history/usual.ts'
import type { WaitingJob } from '../../packages/dashboard/src/model/life.ts'
import { readAssets } from '../../packages/dashboard/src/server/assets.ts'
import { PageServer } from '../../packages/dashboard/src/server/page-server.ts'
import { everything } from '../../packages/dashboard/src/server/scope.ts'
import type { Gate, PastSource, PresentSource } from '../../packages/dashboard/src/server/source.ts'
import { createSample, type Sample, type SampleSize } from '../../packages/dashboard/src/web/sample.fixture.ts'
import { costsOf, factsOf, trendsOf } from '../../packages/dashboard/src/web/sample-answers.fixture.ts'

export const pageFolder = path.resolve(import.meta.dirname, '../../packages/dashboard/dist/page')

export type SampleOptions = Partial<SampleSize> & {
  readonly prices?: boolean
  /** The server's time at its start; the default is the machine's. */
  readonly begin?: Instant
  /** Whether runners move on. */
  readonly moves?: boolean
  /** The default is a free one. */
  readonly port?: number
  /** Decides which requests may see the page. The default admits each. */
  readonly gate?: Gate
}

const usualSize: SampleSize = { sets: 8, runners: 40, gone: 60, failing: 2, waiting: 9, silent: 0 }

export type SampleServer = {
  readonly origin: string
  readonly sample: Sample
  readonly now: () => Instant
  readonly close: () => Promise<void>
}

export async function serveSample(options: SampleOptions = {}): Promise<SampleServer> {
  const clock = clockFrom(options.begin)
  const sample = createSample({ ...usualSize, ...options }, clock.now())
  const asset = await readAssets(pageFolder)
  if (!asset) throw new Error(`the page is not built in ${pageFolder}: run npm run build`)
  const gate: Gate = options.gate ?? (async () => ({ is: 'admitted', scope: everything }))
  const sources = sourcesOf(sample, clock, options)
  const page = new PageServer({ clock, random: systemRandom(), ...sources, gate, asset, version: '0.1.0' })
  const server = await httpServer(page.handle, { port: options.port ?? 0 })
  return {
    origin: server.origin,
    sample,
    now: () => clock.now(),
    close: async () => {
      page.stop()
      await server.close()
    },
  }
}

/** A clock that shows `begin` now, and goes on with the machine's. */
function clockFrom(begin: Instant | undefined): Clock {
  const clock = systemClock()
  const ahead = begin === undefined ? 0 : begin - clock.now()
  return { ...clock, now: () => clock.now() + ahead }
}

function sourcesOf(sample: Sample, clock: Clock, { prices = false, moves = false }: SampleOptions) {
  let seen = sample.snapshot(clock.now())
  const fresh = () => (seen = sample.snapshot(clock.now()))
  const ids = { lives: [] as string[], jobs: [] as string[], failures: [] as string[] }
  const names = seen.sets.map(({ id }) => id)
  const present: PresentSource = {
    sets: () => fresh().sets,
    health: () => seen.head.health,
    limits: seen.head.limits,
    runner: async (life) => factsOf(life, clock.now()),
    log: (_life, signal) => linesOf(clock, signal),
  }
  const past: PastSource = {
    since: () => seen.head.since,
    touched: () => {
      if (!moves) return { ids, all: true }
      const { put, gone } = sample.step(clock.now())
      const lives = [...(put.lives ?? []).map(({ id }) => id), ...(gone.lives ?? [])]
      return { ids: { ...ids, lives }, all: true }
    },
    lives: () => sample.lives.values(),
    jobs: () => sample.jobs.values(),
    failures: () => seen.failures,
    life: (id) => sample.lives.get(id),
    job: (id) => sample.jobs.get(id),
    failure: (id) => seen.failures.find((group) => group.id === id),
    marks: () => seen.marks,
    trends: (window) => trendsOf(window, names, clock.now()),
    costs: (window) => costsOf(window, names, prices, clock.now()),
    find: (query, _scope, { whyOf, unserved }) => {
      const { lives, jobs } = sample
      const why = ({ set }: WaitingJob) => whyOf(set)
      const known = { lives: lives.values(), jobs: jobs.values(), since: seen.head.since, unserved }
      return find(query, { ...known, now: clock.now(), why })
    },
    timeline: (life, { scheduledAt, pulledAt }) => {
      const same = [...sample.lives.values()].filter(({ set, phase }) => set === life.set && phase === 'gone')
      return timelineOf(life, usualOf(same), { scheduled: scheduledAt, pulled: pulledAt })
    },
  }
  return { present, past }
}

const logLines = [
  'Listening for jobs',
  'Running job: test (2, linux)',
  'npm ci',
  'added 412 packages in 9 s',
  'npm test',
  '✓ 118 tests passed',
]

/** The container goes on to run after its last line. */
async function* linesOf(clock: Clock, signal: AbortSignal): AsyncGenerator<string> {
  yield* logLines
  await clock.sleep(600_000, signal)
}
