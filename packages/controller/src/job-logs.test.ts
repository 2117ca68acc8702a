import { virtualClock } from '@dayfly/kit/virtual-clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import { expect, test } from 'vitest'
import { JobLogs } from './job-logs.ts'

const uuid = '11111111-2222-4333-8444-555555555555'
const started = `[2026-11-22 15:00:00] Getting step StepId{accountUuid={a}, repositoryUuid={b}, stepUuid={${uuid}}}.`
const ended = '[2026-11-22 15:00:09] Completing step with result Result{status=PASSED, error=None}.'
const running = { startedAt: 1, end: undefined } as PodFacts
const { jobLog } = forgeTraits.bitbucket

type Stream = (signal: AbortSignal) => AsyncGenerator<string>

/** Follows one runner whose log is these streams, one for each request. */
function world(streams: readonly Stream[]) {
  const clock = virtualClock()
  let asked = 0
  const taken: ForgeEvent[] = []
  const logs: PodLogs = {
    tail: async () => '',
    follow: (_pod, { signal }) => {
      const stream = streams[Math.min(asked, streams.length - 1)]
      asked++
      return stream ? stream(signal) : lines()(signal)
    },
  }
  if (!jobLog) throw new Error('Bitbucket shows its jobs in the log')
  const term = new AbortController()
  const take = (event: ForgeEvent) => void taken.push(event)
  const jobLogs = new JobLogs({ logs, jobLog, namespace: 'ci', clock, take }, term.signal)
  return { clock, asked: () => asked, taken, jobLogs, term }
}

const lines = (...texts: readonly string[]): Stream =>
  async function* () {
    yield* texts
  }
const refused = (kind: KubernetesError['kind']): Stream =>
  async function* () {
    yield* []
    throw new KubernetesError(kind, 'no')
  }
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('a job is seen at its start and its end, with the result of the runner', async () => {
  const { jobLogs, taken } = world([lines('hello', started, 'output', ended, ended)])
  jobLogs.seen('linux-a', running)
  await settle()
  const job = { id: `{${uuid}}`, name: 'step', repository: '' }
  expect(taken).toMatchObject([
    { kind: 'job-started', runner: 'linux-a', job },
    { kind: 'job-finished', runner: 'linux-a', jobId: `{${uuid}}`, result: 'succeeded' },
  ])
})

test('a runner that has not started, or has ended, is not followed', async () => {
  const { jobLogs, asked } = world([lines(started)])
  jobLogs.seen('linux-a', { startedAt: undefined, end: undefined } as PodFacts)
  jobLogs.seen('linux-a', { startedAt: 1, end: { exitCode: 0, reason: 'Completed', at: 2 } } as PodFacts)
  await settle()
  expect(asked()).toBe(0)
})

test('a log that breaks off is read again, once at a time', async () => {
  const { jobLogs, asked, clock, taken } = world([refused('unavailable'), lines(started)])
  jobLogs.seen('linux-a', running)
  jobLogs.seen('linux-a', running)
  await clock.advance(4_999)
  expect(asked()).toBe(1)
  await clock.advance(2)
  expect(asked()).toBe(2)
  expect(taken).toHaveLength(1)
})

test('a log that is read again ends no job twice', async () => {
  const other = '99999999-2222-4333-8444-555555555555'
  const next = started.replace(uuid, other)
  const breaks: Stream = async function* () {
    yield* [started, ended, next]
    throw new KubernetesError('unavailable', 'no')
  }
  const { jobLogs, clock, taken } = world([breaks, lines(started, ended, next, ended)])
  jobLogs.seen('linux-a', running)
  await settle()
  await clock.advance(5_001)
  const finished = taken.flatMap((event) => (event.kind === 'job-finished' ? [event.jobId] : []))
  expect(finished).toEqual([`{${uuid}}`, `{${other}}`])
  expect(taken.filter(({ kind }) => kind === 'job-started')).toHaveLength(3)
})

test('without the right to read logs, no log is asked for until ten minutes later', async () => {
  const { jobLogs, asked, clock } = world([refused('forbidden')])
  jobLogs.seen('linux-a', running)
  await settle()
  jobLogs.seen('linux-b', running)
  await clock.advance(9 * 60_000)
  jobLogs.seen('linux-b', running)
  expect(asked()).toBe(1)
  await clock.advance(2 * 60_000)
  jobLogs.seen('linux-b', running)
  await settle()
  expect(asked()).toBe(2)
})

test('the end of the pod, of the set, or of the leadership ends the request', async () => {
  const open: AbortSignal[] = []
  const endless: Stream = async function* (signal) {
    open.push(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    yield* []
  }
  for (const end of ['gone', 'stop', 'term'] as const) {
    const { jobLogs, term } = world([endless])
    jobLogs.seen('linux-a', running)
    await settle()
    if (end === 'gone') jobLogs.gone('linux-a')
    else if (end === 'stop') jobLogs.stop()
    else term.abort()
    expect(open.at(-1)?.aborted).toBe(true)
  }
})
