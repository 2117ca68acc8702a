import type { JobEvent } from '@dayfly/forge-emulators/github/emulation'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { describe, expect, test } from 'vitest'
import { demoReport, percentiles } from './report.ts'
import { type FinishedJob, scorekeeper } from './score.ts'
import { drawScore, jobLines, scoreLine } from './view.ts'

const of = { namespace: 'demo', set: 'demo' }

function jobEvent(kind: JobEvent['kind'], id: string, more: Partial<JobEvent> = {}): JobEvent {
  const times = { queuedAt: 1_000, assignedAt: 1_010, startedAt: 1_200, firstStepAt: 1_250, finishedAt: 2_200 }
  const base = { id, runId: 1, repeats: undefined, name: `job ${id}`, runner: 'r', at: 1_250, times, runs: 1 }
  return { kind, ...base, result: undefined, report: undefined, ...more }
}

function keeper() {
  const finished: FinishedJob[] = []
  const keeper = scorekeeper((job) => finished.push(job))
  const journal = (...events: readonly JournalEvent[]) => {
    for (const event of events) keeper.journal({ at: 0, event })
  }
  return { ...keeper, journal, finished }
}

describe('the score', () => {
  test('follows each job from waiting to its end', () => {
    const score = keeper()
    score.expect(5)
    expect(score.read().jobs).toMatchObject({ total: 5, waiting: 5 })
    score.job(jobEvent('queued', 'a'))
    score.job(jobEvent('started', 'a'))
    score.job(jobEvent('started', 'b'))
    expect(score.read().jobs).toMatchObject({ waiting: 3, running: 2 })
    score.job(jobEvent('finished', 'a', { result: 'succeeded' }))
    score.job(jobEvent('finished', 'b', { result: 'failed' }))
    score.job(jobEvent('finished', 'c', { result: 'canceled' }))
    score.neverRan({ name: 'd', isFailed: false, note: undefined })
    score.job(jobEvent('finished', 'e', { result: 'skipped' }))
    expect(score.read().jobs).toEqual({ total: 5, waiting: 0, running: 0, succeeded: 1, failed: 2, skipped: 2 })
    expect(score.finished).toMatchObject([
      { name: 'job a', ranMs: 1_000 },
      { result: 'failed' },
      { result: 'canceled' },
      { name: 'd', result: 'skipped' },
      { name: 'job e', result: 'skipped' },
    ])
  })

  test('counts a job that ran twice once, however many events report it', () => {
    const score = keeper()
    score.job(jobEvent('started', 'a', { runs: 2 }))
    score.job(jobEvent('finished', 'a', { runs: 2, result: 'succeeded' }))
    expect(score.read().ranTwice).toBe(1)
  })

  test('follows each runner from its registration to its removal', () => {
    const score = keeper()
    const r = { ...of, runner: 'r' }
    score.journal({ ...r, kind: 'runner-registered', registration: '1' })
    expect(score.read().runners).toMatchObject({ starting: 1 })
    score.journal({ ...r, kind: 'runner-started', node: 'n', startMs: 900 })
    expect(score.read().runners).toMatchObject({ starting: 0, idle: 1 })
    score.journal(
      { ...r, kind: 'job-started', job: { id: '1', name: 'a', repository: '' }, queuedMs: 1 },
      { ...r, kind: 'runner-started', node: 'n', startMs: 900 },
    )
    expect(score.read().runners).toMatchObject({ idle: 0, busy: 1 })
    score.journal({ ...r, kind: 'runner-ended', exitCode: 0, reason: 'Completed' })
    expect(score.read().runners).toMatchObject({ busy: 0, ending: 1 })
    score.journal({ ...r, kind: 'runner-gone', because: 'ended' })
    expect(score.read()).toMatchObject({ runners: { ending: 0 }, runnersMade: 1 })
  })
})

describe('percentiles', () => {
  test('are computed by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(percentiles(hundred)).toEqual({ p50: 50, p95: 95, max: 100 })
    expect(percentiles([7])).toEqual({ p50: 7, p95: 7, max: 7 })
    expect(percentiles([])).toBeNull()
  })
})

const none = { pods: [], secrets: [], registrations: [], processes: [], directories: [] }

test('the report contains all figures and counts the leftovers', () => {
  const score = keeper()
  score.expect(2)
  score.journal({ ...of, runner: 'r', kind: 'runner-registered', registration: '1' })
  score.job(jobEvent('first-step', 'a'))
  score.job(jobEvent('finished', 'a', { result: 'succeeded' }))
  score.neverRan({ name: 'd', isFailed: false, note: undefined })
  const leftovers = { ...none, processes: ['7 sleep 300'], directories: ['/tmp/a', '/tmp/b'] }
  expect(demoReport({ score: score.read(), leftovers, apiWrites: 4, wallMs: 12.4, peakRssBytes: 5 })).toEqual({
    jobs: 2,
    succeeded: 1,
    failed: 0,
    skipped: 1,
    runners: 1,
    ranTwice: 0,
    stepsSkipped: 0,
    leftovers: { pods: 0, secrets: 0, registrations: 0, processes: 1, directories: 2 },
    queuedToFirstStepMs: { p50: 250, p95: 250, max: 250 },
    apiWritesPerRunner: 4,
    wallMs: 12,
    peakRssBytes: 5,
  })
})

test('figures without a runner or a first step are null, not zero', () => {
  const report = demoReport({ score: keeper().read(), leftovers: none, apiWrites: 3, wallMs: 1, peakRssBytes: 1 })
  expect(report).toMatchObject({ queuedToFirstStepMs: null, apiWritesPerRunner: null })
})

describe('the view', () => {
  const plain = { columns: 80, colour: false }
  const score = keeper()
  score.expect(4)
  score.job(jobEvent('first-step', 'a'))
  score.job(jobEvent('finished', 'a', { result: 'succeeded' }))

  test('shows jobs, runners, waiting time and elapsed time', () => {
    const text = drawScore(score.read(), 61_000, plain).join('\n')
    expect(text).toContain('1 of 4 jobs  1 min 01 s')
    expect(text).toContain('1 succeeded  0 failed  0 running  3 waiting')
    expect(text).toContain('p50 250 ms  p95 250 ms  max 250 ms')
  })

  test('is one line if stderr is not a terminal', () => {
    expect(scoreLine(score.read(), 1_500)).toMatch(/^ {2}1\.5 s {2}1 of 4 jobs done, 0 failed; runners: 0 starting/)
  })

  test('replaces control characters of a job and its steps', () => {
    const step = { id: 'a', startedAt: 1, finishedAt: 2, conclusion: 'success' as const, outcome: 'success' as const }
    const steps = [{ ...step, name: 'Build \x9b2J', note: undefined }]
    const report = { conclusion: 'success' as const, outputs: {}, note: 'bell \x07', steps }
    expect(jobLines({ id: 'a', name: 'te\x1b[2Jst', result: 'succeeded', ranMs: 1_000, report }, plain)).toEqual([
      '✓ te\ufffd[2Jst  1.0 s',
      '    ✓ Build \ufffd2J',
      '    bell \ufffd',
    ])
  })

  test('shows each step of a finished job, and why one was skipped', () => {
    const step = { id: 'a', startedAt: 1, finishedAt: 2 }
    const report = {
      conclusion: 'failure' as const,
      outputs: {},
      note: undefined,
      steps: [
        { ...step, name: 'Build', conclusion: 'success' as const, outcome: 'failure' as const, note: undefined },
        { ...step, name: 'Set up', conclusion: 'skipped' as const, outcome: 'skipped' as const, note: 'not supported' },
      ],
    }
    expect(jobLines({ id: 'a', name: 'test', result: 'failed', ranMs: 1_000, report }, plain)).toEqual([
      '✗ test: failed  1.0 s',
      '    ✓ Build  (failure, ignored by continue-on-error)',
      '    – Set up  (not supported)',
    ])
  })
})
