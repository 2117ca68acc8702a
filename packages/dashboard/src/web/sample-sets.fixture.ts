// The sets of the sample, and what the page says of all of them.
import type { Instant } from '@dayfly/kit/clock'
import type { FailureGroup, Life, Mark, WaitingJob, Words } from '../model/life.ts'
import type { ConditionShown, Head, SetNow } from '../model/set-now.ts'
import { missingImage, quota, silentForge } from './sample-words.fixture.ts'

export type Times = { readonly now: Instant; readonly begin: Instant }
type SetKind = { readonly name: string; readonly isFailing: boolean; readonly isSilent: boolean }

const minute = 60_000
const unserved = {
  ...{ id: '4711', name: 'package', repository: 'octo/desktop' },
  sentence:
    'Job package of octo/desktop waits for runs-on: windows. No RunnerSet of this account has all of these labels.',
}

export function setOf(
  { name: id, isFailing, isSilent }: SetKind,
  lives: ReadonlyMap<string, Life>,
  jobs: ReadonlyMap<string, WaitingJob>,
  { now, begin }: Times,
): SetNow {
  const [namespace = '', name = ''] = id.split('/')
  const counts = { starting: 0, idle: 0, busy: 0, ending: 0 }
  for (const life of lives.values()) if (life.set === id && life.phase !== 'gone') counts[life.phase]++
  const queued = [...jobs.values()].filter((job) => job.set === id).map((job) => job.queuedAt)
  const waiting = queued.length
  const oldest = waiting === 0 ? null : Math.min(...queued)
  const problem: Words = id === 'ci/linux' ? quota : missingImage
  const problems = isSilent ? [silentForge] : isFailing ? [problem] : []
  return {
    id,
    namespace,
    name,
    forge: 'GitHub',
    url: 'https://github.com/octo',
    labels: ['self-hosted', name],
    paused: id === 'ci/nightly',
    deleting: false,
    min: 0,
    max: 40,
    demand: isSilent ? null : counts.busy + waiting,
    wanted: isSilent ? null : Math.min(40, counts.busy + counts.idle + waiting),
    hasQueue: true,
    isValid: true,
    waiting: isSilent ? null : waiting,
    counts,
    failuresInARow: isFailing ? 6 : 0,
    waitingSince: oldest,
    oldestQueuedAt: oldest,
    why: waiting === 0 ? null : isFailing ? problem.sentence : null,
    nextStartAt: isFailing ? now + 40_000 - ((now - begin) % 40_000) : null,
    problems,
    conditions: conditionsOf(problems, begin),
    forgeNumbers: isSilent ? null : { registered: counts.idle + counts.busy + 1, busy: counts.busy, at: now - 8_000 },
    difference:
      id === 'ci/arm'
        ? {
            since: begin - 4 * minute,
            sentence:
              'The forge still lists one runner that has ended. Dayfly removes its registration again in a minute.',
          }
        : null,
    unserved: id === 'ci/arm' ? { count: 1, jobs: [unserved] } : null,
    objectiveMs: isFailing ? 30_000 : 60_000,
    oldSince: isSilent ? begin - 3 * minute : null,
  }
}

export function headOf(sets: readonly SetNow[], jobs: ReadonlyMap<string, WaitingJob>, { now, begin }: Times): Head {
  const failing = sets.filter((set) => set.problems.length > 0)
  const sum = (key: 'starting' | 'idle' | 'busy') => sets.reduce((total, set) => total + (set.counts?.[key] ?? 0), 0)
  const busy = sum('busy')
  const isKnown = sets.every((set) => set.waiting !== null)
  const oldest = Math.min(...[...jobs.values()].map((job) => job.queuedAt))
  const first = failing[0]
  const waits =
    jobs.size === 0 ? `No job waits. ${busy} run.` : `${isKnown ? '' : 'At least '}${jobs.size} jobs wait, ${busy} run.`
  return {
    sentence: first
      ? `${waits} ${failing.length} of ${sets.length} sets have a problem. ${first.id}: ${first.problems[0]?.sentence}`
      : waits,
    tone: first ? 'wrong' : jobs.size > 0 ? 'waiting' : 'calm',
    totals: {
      invalid: 0,
      waiting: isKnown ? jobs.size : null,
      running: busy,
      starting: sum('starting'),
      idle: sum('idle'),
      longestWaitMs: jobs.size === 0 ? null : now - oldest,
    },
    health: [
      { name: 'Controller', is: 'ok', detail: 'dayfly-7c9f leads since 3 h. The last tick was 1 s ago.' },
      { name: 'Kubernetes', is: 'ok', detail: 'The API server answers within 12 ms.' },
      {
        name: 'GitHub, octo',
        is: isKnown ? 'ok' : 'failed',
        detail: isKnown ? '4,811 of 5,000 requests are left.' : 'No answer for 3 min. Check the network and the proxy.',
      },
      {
        name: 'History',
        is: 'warning',
        detail: 'The history is in memory only: it begins again when the dashboard restarts.',
      },
      { name: 'Prices', is: 'unknown', detail: 'No prices are configured.' },
    ],
    since: begin - 45 * minute,
    limits: ['The history begins when this process started.'],
    version: '0.1.0',
  }
}

export function failuresOf(sets: readonly string[], begin: Instant): readonly FailureGroup[] {
  return sets.map((set, index) => {
    const words = set === 'ci/linux' ? quota : missingImage
    const runner = index % 2 === 0 ? 'linux-x1ulc' : null
    const at = { firstAt: begin - 30 * minute, lastAt: begin - index * 20_000 }
    return { ...words, ...at, id: `${set} ${words.reason}`, set, count: 6 + index * 3, runner }
  })
}

export function marksOf(sets: readonly string[], begin: Instant): readonly Mark[] {
  const [set = ''] = sets
  return [
    { at: begin - 12 * minute, kind: 'controller', set: null, sentence: 'The controller started version 0.1.0.' },
    { at: begin - 7 * minute, kind: 'set-changed', set, sentence: `The pod template of ${set} changed.` },
    { at: begin - 2 * minute, kind: 'forge', set: null, sentence: 'GitHub answers again after 40 s.' },
  ]
}

function conditionsOf(problems: readonly Words[], begin: Instant): readonly ConditionShown[] {
  const since = begin - 20 * minute
  const [problem] = problems
  const status = problem ? 'False' : 'True'
  const condition = (type: string, value: ConditionShown['status'], reason: string, message: string) => ({
    type,
    status: value,
    reason,
    message,
    since,
  })
  return [
    condition('Ready', status, problem?.reason ?? 'Ready', problem?.sentence ?? 'Runners can start.'),
    condition('Degraded', problem ? 'True' : 'False', problem?.reason ?? 'AsExpected', problem?.detail ?? ''),
    condition('TemplateAccepted', 'True', 'Accepted', 'The API server accepts the pod template.'),
    condition('ForgeConnected', 'True', 'Connected', 'The message session is open.'),
  ]
}
