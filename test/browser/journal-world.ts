// A large installation as its journal: sets and runners that live on, written to the real history.
// Real pods of this number would take minutes to start. The history, the server and the page are the real ones.
import type { Instant } from '@dayfly/kit/clock'
import { type Random, seededRandom } from '@dayfly/kit/random'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { History } from '../../packages/dashboard/src/history/history.ts'
import type { SetNow } from '../../packages/dashboard/src/model/set-now.ts'

export type WorldSize = { readonly sets: number; readonly runners: number }

/** The steps of a life, each with the time until the next one in milliseconds. */
const steps = ['registered', 'created', 'started', 'online', 'busy', 'finished', 'ended', 'gone'] as const
type Step = (typeof steps)[number]
const lastedMs: Readonly<Record<Step, number>> = {
  ...{
    registered: 300,
    created: 2_000,
    started: 3_000,
    online: 1_000,
    busy: 240_000,
    finished: 500,
    ended: 500,
    gone: 0,
  },
}

type Runner = { readonly set: number; readonly name: string; readonly job: string; step: number }

export type JournalWorld = ReturnType<typeof createJournalWorld>

export function createJournalWorld({ sets, runners }: WorldSize, begin: Instant) {
  const random = seededRandom(1)
  const history = new History()
  const living: Runner[] = []
  let serial = 0
  let next = 0
  const take = (runner: Runner, at: Instant) => {
    for (const event of eventsOf(runner)) history.take({ at, event })
  }
  /** Starts a runner whose first step was `agoMs` before. */
  const start = (at: Instant, agoMs: number): Runner => {
    const number = serial++
    const set = number % sets
    const runner = {
      set,
      name: `${nameOf(set)}-${number.toString(36).padStart(6, '0')}`,
      job: `job-${number}`,
      step: 0,
    }
    let since = at - agoMs
    take(runner, since)
    while (runner.step < 4) {
      since += lastedMs[stepOf(runner)]
      if (since > at) break
      runner.step++
      take(runner, since)
    }
    return runner
  }
  history.take({ at: begin - 3_600_000, event: { kind: 'leadership-gained', identity: 'dayfly-0' } })
  for (let set = 0; set < sets; set++) history.describe(factsOf(set))
  for (let index = 0; index < runners; index++) living.push(start(begin, upTo(random, lastedMs.busy)))
  return {
    history,
    /** Moves this many runners to their next step. A runner that is gone has a successor. */
    move(count: number, at: Instant): void {
      for (let index = 0; index < count; index++) {
        // Neighbours are in different sets and at different steps.
        next = (next + 7) % living.length
        const runner = living[next]
        if (!runner) continue
        runner.step++
        take(runner, at)
        if (stepOf(runner) === 'gone') living[next] = start(at, 0)
      }
    },
    sets: (at: Instant): readonly SetNow[] => setsOf(sets, living, at),
  }
}

function stepOf({ step }: Runner): Step {
  return steps[step] ?? 'gone'
}

function eventsOf(runner: Runner): readonly JournalEvent[] {
  const { set, name, job } = runner
  const of = { namespace: namespaceOf(set), set: nameOf(set), runner: name }
  const origin = { workflow: 'ci.yml', ref: 'main', run: String(9_000_000 + set) }
  const named = { id: job, name: jobNames[set % jobNames.length] ?? '', repository: `octo/service-${set % 40}`, origin }
  switch (stepOf(runner)) {
    case 'registered':
      return [{ kind: 'runner-registered', ...of, registration: job }]
    case 'created':
      return [{ kind: 'pod-created', ...of, uid: name }]
    case 'started':
      return [{ kind: 'runner-started', ...of, node: `node-${set % 50}`, startMs: 2_000 }]
    case 'online':
      return [{ kind: 'runner-online', ...of }]
    case 'busy':
      return [{ kind: 'job-started', ...of, job: named, queuedMs: 8_000 }]
    case 'finished':
      return [{ kind: 'job-finished', ...of, job, result: 'succeeded' }]
    case 'ended':
      return [{ kind: 'runner-ended', ...of, exitCode: 0, reason: 'Completed' }]
    case 'gone':
      return [{ kind: 'runner-gone', ...of, because: 'ended' }]
  }
}

const jobNames = ['build', 'unit tests', 'end-to-end tests', 'lint', 'package', 'deploy']
const url = 'https://github.com/octo'

function namespaceOf(set: number): string {
  return `team-${Math.floor(set / 10)}`
}

function nameOf(set: number): string {
  return `${['linux', 'linux-large', 'arm', 'gpu', 'docker'][set % 5]}-${set}`
}

function factsOf(set: number) {
  const id = `${namespaceOf(set)}/${nameOf(set)}`
  const requests = { cpu: 2, memoryGib: 4 }
  return { id, url, forge: 'github' as const, paused: false, requests, objectiveMs: 60_000, priceLabel: null }
}

function setsOf(count: number, living: readonly Runner[], at: Instant): readonly SetNow[] {
  const counts = Array.from({ length: count }, () => ({ starting: 0, idle: 0, busy: 0, ending: 0 }))
  for (const { set, step } of living) {
    const of = counts[set]
    if (of) of[step < 3 ? 'starting' : step === 3 ? 'idle' : step === 4 ? 'busy' : 'ending']++
  }
  return counts.map((of, set) => {
    const all = of.starting + of.idle + of.busy
    const forgeNumbers = { registered: all, busy: of.busy, at: at - (at % 10_000) }
    return {
      ...{
        id: `${namespaceOf(set)}/${nameOf(set)}`,
        namespace: namespaceOf(set),
        name: nameOf(set),
        forge: 'github',
        url,
      },
      ...{ labels: [nameOf(set)], paused: false, deleting: false, min: 0, max: 200, demand: all, wanted: all },
      ...{
        hasQueue: true,
        isValid: true,
        waiting: 0,
        counts: of,
        failuresInARow: 0,
        waitingSince: null,
        oldestQueuedAt: null,
      },
      ...{ why: null, nextStartAt: null, problems: [], conditions: [], forgeNumbers, difference: null, unserved: null },
      ...{ objectiveMs: 60_000, oldSince: null },
    }
  })
}

function upTo(random: Random, most: number): number {
  return Math.floor(random() * most)
}
