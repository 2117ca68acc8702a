// The sample's answers about one runner, one job, and the past.
import type { Instant } from '@dayfly/kit/clock'
import type { Found, FoundJob, RunnerDetail, TimelineStep } from '../model/details.ts'
import type { Life, WaitingJob } from '../model/life.ts'
import { type Costs, type Trends, type WindowName, windowMs } from '../model/trends.ts'
import { dice, repositories } from './sample-words.fixture.ts'

export function detailOf(life: Life, now: Instant): RunnerDetail {
  const { steps } = life
  const moments = [
    ['queued', steps.queued],
    ['registered', steps.registered],
    ['created', steps.created],
    ['started', steps.started],
    ['online', steps.online],
    ['first step', steps.jobStarted],
    ['finished', steps.jobFinished],
    ['ended', steps.ended],
    ['gone', steps.gone],
  ] as const
  const timeline: TimelineStep[] = []
  for (const [name, at] of moments) {
    const before = timeline.at(-1)
    if (at === null) continue
    const tookMs = before ? at - before.at : null
    const usualMs = name === 'registered' ? 2_000 : null
    const unusual = usualMs !== null && tookMs !== null && tookMs > 3 * usualMs && tookMs - usualMs > 5_000
    timeline.push({ name, at, tookMs, usualMs, unusual })
  }
  const isLive = life.phase !== 'gone'
  const work = life.job ? `It runs ${life.job.name} of ${life.job.repository}.` : 'It has no job yet.'
  return {
    life,
    sentences: [`The runner is ${life.phase} on ${life.node}.`, work],
    problem: life.problem,
    timeline,
    containers: isLive
      ? [
          { name: 'prepare', kind: 'init', state: 'ended with exit code 0', since: steps.created, detail: '' },
          { name: 'docker', kind: 'sidecar', state: 'runs', since: steps.started, detail: 'ready' },
          { name: 'runner', kind: 'container', state: 'runs', since: steps.started, detail: '' },
        ]
      : null,
    events: [
      { at: steps.created, warning: false, reason: 'Scheduled', message: `The pod is on ${life.node}.`, count: 1 },
      {
        at: steps.started,
        warning: true,
        reason: 'FailedMount',
        message: 'Secret "cache" was not found yet.',
        count: 3,
      },
      { at: steps.started, warning: false, reason: 'Started', message: 'Container runner started.', count: 1 },
    ],
    unknown: isLive ? [] : [`The pod is gone since ${Math.round((now - (steps.gone ?? now)) / 1_000)} s.`],
    hasLog: isLive,
  }
}

export function foundFor(
  query: string,
  lives: ReadonlyMap<string, Life>,
  jobs: ReadonlyMap<string, WaitingJob>,
): Found {
  const id = query.startsWith('#/job/') ? decodeURIComponent(query.split('/').at(-1) ?? '') : null
  const isMeant = (job: { id: string; name: string; ref: string | null; url: string | null }) =>
    id === null ? [job.name, job.ref, job.url].includes(query) : job.id === id
  const found: FoundJob[] = []
  for (const job of jobs.values()) {
    if (!isMeant(job)) continue
    const sentence = `It has waited in ${job.set}: the quota of the namespace leaves no room for a runner.`
    found.push({ address: addressOf(job), job, is: 'waiting', sentence, at: job.queuedAt, life: null, waiting: job })
  }
  for (const life of lives.values()) {
    const { job } = life
    if (job === null || !isMeant(job)) continue
    const is = life.phase === 'gone' ? 'ended' : 'running'
    const sentence = `It ${is === 'ended' ? 'ended' : 'runs'} on ${life.runner}.`
    found.push({ address: addressOf(job), job, is, sentence, at: life.steps.jobStarted ?? 0, life, waiting: null })
  }
  const next = 'Check that the job asks for a label of a set. A job without a set never reaches Dayfly.'
  return { query, read: `Jobs with the name, branch or address "${query}".`, jobs: found.slice(0, 50), next }
}

function addressOf(job: { readonly repository: string; readonly id: string }): string {
  return `#/job/${encodeURIComponent(job.repository)}/${encodeURIComponent(job.id)}`
}

export function trendsOf(window: WindowName, sets: readonly string[], now: Instant): Trends {
  const random = dice(11)
  const from = now - windowMs[window]
  const times = (base: number) => ({
    jobs: 40 + random.upTo(400),
    p50: base + random.upTo(2_000),
    p95: base * 3 + random.upTo(9_000),
    p99: base * 5 + random.upTo(30_000),
  })
  const points = Array.from({ length: 96 }, (_, index) => {
    const at = from + ((now - from) * index) / 96
    const busy = index > 50 && index < 60 ? 9 : 1
    if (index > 30 && index < 34) return { at, jobs: 0, p50: null, p95: null, p99: null }
    return { at, ...times(4_000 * busy) }
  })
  return {
    window,
    from,
    to: now,
    incompleteBefore: window === '7d' ? now - 3 * 86_400_000 : null,
    all: times(5_000),
    points,
    sets: sets.slice(0, 12).map((set, index) => ({
      set,
      ...times(4_000),
      objectiveMs: index % 5 === 4 ? null : index === 0 ? 30_000 : 60_000,
      withinObjective: index % 5 === 4 ? null : 0.9 + random.upTo(10) / 100,
    })),
    repositories: repositories.map((repository, index) => ({
      repository,
      ...times(4_000),
      waitingShare: [0.46, 0.2, 0.15, 0.1, 0.06, 0.03][index] ?? 0,
      capacityShare: [0.12, 0.31, 0.2, 0.17, 0.15, 0.05][index] ?? 0,
      longestMs: 40_000 + random.upTo(400_000),
    })),
  }
}

export function costsOf(window: WindowName, sets: readonly string[], isPriced: boolean, now: Instant): Costs {
  const random = dice(13)
  const row = (name: string) => {
    const jobHours = 1 + random.upTo(900) / 10
    return { name, jobs: 10 + random.upTo(900), jobHours, amount: isPriced ? jobHours * 0.12 : 0 }
  }
  const prices = { currency: 'EUR', cpuHour: 0.04, memoryGibHour: 0.005, forgeMinute: 0, nodes: [] }
  return {
    window,
    from: now - windowMs[window],
    to: now,
    incompleteBefore: window === '7d' ? now - 3 * 86_400_000 : null,
    prices: isPriced ? prices : null,
    total: isPriced ? 81.4 : 0,
    idle: { hours: 12.5, amount: isPriced ? 1.5 : 0 },
    infrastructure: { hours: 0.8, amount: isPriced ? 0.1 : 0, runners: 14 },
    forge: 0,
    repositories: repositories.map(row),
    workflows: ['octo/web ci.yml', 'octo/api ci.yml', 'tools/compiler nightly.yml'].map(row),
    sets: sets.slice(0, 30).map((set) => ({ ...row(set), idleHours: 1.2, idleAmount: isPriced ? 0.14 : 0 })),
    unpriced: 3,
  }
}
