// The world of the guide's examples: a set at its quota, a job that failed, and idle runners. Its history is the real one.
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { NamedJob } from '@dayfly/runner-set/model/forge-event'
import { History } from '../../packages/dashboard/src/history/history.ts'
import type { SetNow } from '../../packages/dashboard/src/model/set-now.ts'
import type { Prices } from '../../packages/dashboard/src/model/trends.ts'
import { quota } from '../../packages/dashboard/src/web/sample-words.fixture.ts'

export const guidePrices: Prices = { currency: 'EUR', cpuHour: 0.04, memoryGibHour: 0.005, forgeMinute: 0, nodes: [] }

const second = 1_000
const minute = 60 * second
const url = 'https://github.com/octo'
const sets = ['gpu', 'linux'] as const

export function createGuideWorld(now: Instant) {
  const history = new History()
  const take = (agoMs: number, event: JournalEvent) => history.take({ at: now - agoMs, event })
  take(50 * minute, { kind: 'leadership-gained', identity: 'dayfly-0' })
  for (const name of sets) {
    const requests = { cpu: 2, memoryGib: 8 }
    history.describe({
      ...{ id: `ci/${name}`, url, forge: 'github', paused: false, requests },
      ...{ objectiveMs: minute, priceLabel: null },
    })
  }
  for (const index of [1, 2, 3]) {
    const job = jobOf(`train-${index}`, 'train the model', 'data/models')
    take(6 * minute, { kind: 'job-waits', ...ofSet('gpu'), job, queuedAt: now - (index + 5) * minute })
  }
  lifeOf(take, {
    runner: 'linux-4k2p',
    beginMs: 30 * minute,
    queuedMs: 90 * second,
    repository: 'octo/web',
    name: 'build',
  })
  lifeOf(take, {
    runner: 'linux-9m3x',
    beginMs: 20 * minute,
    queuedMs: 5 * second,
    repository: 'octo/api',
    name: 'lint',
  })
  lifeOf(take, {
    ...{ runner: 'linux-7h5w', beginMs: 15 * minute, queuedMs: 4 * second },
    ...{ repository: 'octo/web', name: 'end-to-end tests', isKilled: true },
  })
  const idle = { ...ofSet('linux'), runner: 'linux-2b8c' }
  take(40 * minute, { kind: 'runner-registered', ...idle, registration: '9' })
  take(40 * minute - second, { kind: 'pod-created', ...idle, uid: 'idle' })
  take(40 * minute - 3 * second, { kind: 'runner-started', ...idle, node: 'node-2', startMs: 2_000 })
  take(40 * minute - 4 * second, { kind: 'runner-online', ...idle })
  return { history, sets: (at: Instant): readonly SetNow[] => sets.map((name) => setOf(name, at)) }
}

type LifeFacts = {
  readonly runner: string
  readonly beginMs: number
  readonly queuedMs: number
  readonly repository: string
  readonly name: string
  readonly isKilled?: boolean
}

/** Writes a life of some minutes that began so long ago. */
function lifeOf(take: (agoMs: number, event: JournalEvent) => void, facts: LifeFacts): void {
  const { runner, beginMs, queuedMs, repository, name, isKilled = false } = facts
  const of = { ...ofSet('linux'), runner }
  const job = jobOf(runner, name, repository)
  take(beginMs, { kind: 'runner-registered', ...of, registration: runner })
  take(beginMs - second, { kind: 'pod-created', ...of, uid: runner })
  take(beginMs - 3 * second, { kind: 'runner-started', ...of, node: 'node-1', startMs: 2_000 })
  take(beginMs - 4 * second, { kind: 'job-started', ...of, job, queuedMs })
  if (isKilled) {
    const message = 'The container runner used 8 GiB.'
    take(beginMs - 3 * minute, { kind: 'runner-failed', ...of, failure: { reason: 'out-of-memory', message } })
  } else take(beginMs - 3 * minute, { kind: 'job-finished', ...of, job: job.id, result: 'succeeded' })
  take(beginMs - 3 * minute - second, {
    ...{ kind: 'runner-ended', ...of, exitCode: isKilled ? 137 : 0 },
    reason: isKilled ? 'OOMKilled' : 'Completed',
  })
  take(beginMs - 3 * minute - 2 * second, { kind: 'runner-gone', ...of, because: 'ended' })
}

function ofSet(set: (typeof sets)[number]) {
  return { namespace: 'ci', set } as const
}

function jobOf(id: string, name: string, repository: string): NamedJob {
  return { id, name, repository, origin: { workflow: 'ci.yml', ref: 'main', run: '77' } }
}

function setOf(name: (typeof sets)[number], at: Instant): SetNow {
  const isFull = name === 'gpu'
  const since = at - 8 * minute
  const condition = { type: 'Ready', status: isFull ? 'False' : 'True', since } as const
  const words = isFull
    ? { reason: quota.reason, message: quota.sentence }
    : { reason: 'Ready', message: 'Runners start when jobs ask for them.' }
  return {
    ...{ id: `ci/${name}`, namespace: 'ci', name, forge: 'github', url, labels: [name] },
    ...{ paused: false, deleting: false, min: isFull ? 0 : 1, max: 20, hasQueue: true, isValid: true },
    ...{ demand: isFull ? 3 : 0, wanted: isFull ? 3 : 1, waiting: isFull ? 3 : 0 },
    counts: { starting: 0, idle: isFull ? 0 : 1, busy: 0, ending: 0 },
    ...{ failuresInARow: isFull ? 6 : 0, waitingSince: isFull ? since : null, oldestQueuedAt: isFull ? since : null },
    ...{ why: isFull ? quota.sentence : null, nextStartAt: isFull ? at + 40 * second : null },
    ...{ problems: isFull ? [quota] : [], conditions: [{ ...condition, ...words }] },
    ...{
      forgeNumbers: { registered: isFull ? 0 : 1, busy: 0, at },
      difference: null,
      unserved: null,
      objectiveMs: minute,
      oldSince: null,
    },
  }
}
