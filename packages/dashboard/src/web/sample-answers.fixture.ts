// The sample's answers about one runner and the past.
import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'
import { type Costs, type Trends, type WindowName, windowMs } from '../model/trends.ts'
import type { RunnerFacts } from '../server/source.ts'
import { dice, repositories } from './sample-words.fixture.ts'

export function factsOf(life: Life, now: Instant): RunnerFacts {
  const { steps, job, phase } = life
  const isLive = phase !== 'gone'
  const began = `began ${ageText(now - (steps.jobStarted ?? now))} ago`
  const named = job && `The job "${job.name}" (${job.id}) of ${job.repository} ${began}`
  const own =
    phase === 'busy' ? 'It has a job. The controller does not end it, unless lifeMax is over.' : 'It has no job.'
  return {
    sentences: [
      isLive ? own : 'It is gone: its pod does not exist any more.',
      ...(named ? [isLive ? `${named} and runs.` : `${named} and ended: ${life.result}.`] : []),
    ],
    problem: life.problem,
    containers: isLive
      ? [
          { name: 'prepare', kind: 'init', state: 'ended', since: steps.created, detail: 'exit code 0, Completed' },
          { name: 'docker', kind: 'sidecar', state: 'running', since: steps.started, detail: '' },
          { name: 'runner', kind: 'container', state: 'running', since: steps.started, detail: '' },
        ]
      : [],
    events: [
      { at: steps.created, warning: false, reason: 'Scheduled', message: scheduledText(life), count: 1 },
      { at: steps.created, warning: true, reason: 'FailedMount', message: mountText, count: 3 },
      { at: steps.started, warning: false, reason: 'Started', message: 'Container started', count: 1 },
    ],
    ...{ scheduledAt: steps.created, pulledAt: null, unknown: [], hasLog: isLive },
  }
}

const mountText = 'MountVolume.SetUp failed for volume "cache" : secret "cache" not found'

function scheduledText({ id, node }: Life): string {
  return `Successfully assigned ${id} to ${node}`
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
