// Sample data for looking at the page: the same seed gives the same sets, runners and changes.

import type { Instant } from '@dayfly/kit/clock'
import { noSteps } from '../history/steps.ts'
import type { Life, LifePhase, WaitingJob } from '../model/life.ts'
import type { Changes, Snapshot } from '../model/page-state.ts'
import { failuresOf, headOf, marksOf, setOf } from './sample-sets.fixture.ts'
import { type Dice, dice, jobOf, quota } from './sample-words.fixture.ts'

export type SampleSize = {
  readonly sets: number
  /** Runners that live at once. */
  readonly runners: number
  /** Runners of the past. */
  readonly gone: number
  /** Sets whose runners do not start. The first of them is at its quota. */
  readonly failing: number
  readonly waiting: number
  /** Sets whose forge does not answer. */
  readonly silent: number
}

export interface Sample {
  snapshot(now: Instant): Snapshot
  /** Moves some runners on, and returns what changed. */
  step(now: Instant): Changes
  readonly lives: ReadonlyMap<string, Life>
  readonly jobs: ReadonlyMap<string, WaitingJob>
}

const second = 1_000
const minute = 60 * second

export function createSample(size: SampleSize, begin: Instant): Sample {
  const random = dice(7)
  const names = Array.from({ length: size.sets }, (_, index) => setName(index))
  const lives = new Map<string, Life>()
  const jobs = new Map<string, WaitingJob>()
  let version = 1
  let serial = 0

  const add = (life: Life) => lives.set(life.id, life)
  for (let index = 0; index < size.gone; index++) {
    add(goneLife(names[index % names.length] ?? '', serial++, begin - random.upTo(40 * minute), random))
  }
  for (let index = 0; index < size.runners; index++) {
    add(liveLife(names[random.upTo(names.length)] ?? '', serial++, begin, random))
  }
  for (let index = 0; index < size.waiting; index++) {
    const job = jobOf(serial++, random)
    const set = names[index % Math.max(1, Math.min(names.length, size.failing + 1))] ?? ''
    jobs.set(job.id, { ...job, set, queuedAt: begin - 5 * second - random.upTo(8 * minute) })
  }
  const setsNow = (now: Instant) =>
    names.map((name, index) =>
      setOf({ name, isFailing: index < size.failing, isSilent: index >= size.sets - size.silent }, lives, jobs, {
        now,
        begin,
      }),
    )
  return {
    lives,
    jobs,
    snapshot(now) {
      const sets = setsNow(now)
      return {
        version,
        at: now,
        head: headOf(sets, jobs, { now, begin }),
        marks: marksOf(names, begin),
        sets,
        lives: [...lives.values()],
        jobs: [...jobs.values()],
        failures: failuresOf(names.slice(0, size.failing), begin),
      }
    },
    step(now) {
      version++
      const put: Life[] = []
      const gone: string[] = []
      const all = [...lives.values()].filter(({ phase }) => phase !== 'gone')
      for (let index = 0; index < Math.max(1, all.length / 20); index++) {
        const life = all[random.upTo(all.length)]
        if (life === undefined) continue
        // Most jobs run on: the runner changes without a new phase.
        const stays = life.phase === 'busy' && random.upTo(40) > 0
        const next = stays ? { ...life } : moved(life, now, random)
        put.push(next)
        add(next)
        if (next.phase === 'gone') {
          const fresh = freshLife(next.set, serial++, now)
          put.push(fresh)
          add(fresh)
        }
      }
      for (const life of lives.values()) {
        if (lives.size - gone.length <= size.runners + size.gone) break
        if (life.phase === 'gone') gone.push(life.id)
      }
      for (const id of gone) lives.delete(id)
      const sets = setsNow(now)
      return {
        version,
        at: now,
        head: headOf(sets, jobs, { now, begin }),
        put: { lives: put, sets },
        gone: { lives: gone },
      }
    },
  }
}

function setName(index: number): string {
  const kinds = ['linux', 'linux-large', 'arm', 'gpu', 'docker', 'release', 'nightly', 'mobile']
  const round = Math.floor(index / kinds.length)
  return `${round === 0 ? 'ci' : `team-${round}`}/${kinds[index % kinds.length]}`
}

function lifeOf(set: string, serial: number): Life {
  const [namespace = '', name = ''] = set.split('/')
  const runner = `${name}-${(serial * 7919 + 46_656).toString(36).padStart(5, 'x')}`
  return {
    id: `${namespace}/${runner}`,
    set,
    runner,
    phase: 'starting',
    steps: noSteps,
    job: null,
    result: null,
    node: `node-${serial % 12}`,
    exitCode: null,
    problem: null,
    requests: { cpu: 2, memoryGib: 8 },
  }
}

/** The forge says which job a new runner gets only when that job starts. */
function freshLife(set: string, serial: number, now: Instant): Life {
  return { ...lifeOf(set, serial), steps: { ...noSteps, registered: now - 300, created: now } }
}

/** The job waited some seconds before its runner came. */
function queuedBefore({ registered }: Life['steps'], random: Dice): Instant {
  return (registered ?? 0) - 1_000 - random.upTo(20 * second)
}

function liveLife(set: string, serial: number, now: Instant, random: Dice): Life {
  const fresh = freshLife(set, serial, now - random.upTo(14 * minute))
  const created = fresh.steps.created ?? now
  const room = now - created
  const roll = random.upTo(100)
  if (roll < 8 || room < 30 * second) {
    const problem = roll === 0 ? quota : null
    return { ...fresh, problem }
  }
  const started = created + second + random.upTo(4 * second)
  const online = started + 800 + random.upTo(6 * second)
  if (roll < 18) return { ...fresh, phase: 'idle', steps: { ...fresh.steps, started, online } }
  const jobStarted = online + random.upTo(2 * second)
  const busy = { ...fresh.steps, queued: queuedBefore(fresh.steps, random), started, online, jobStarted }
  return { ...fresh, phase: 'busy', steps: busy, job: jobOf(serial, random) }
}

function goneLife(set: string, serial: number, end: Instant, random: Dice): Life {
  const length = 30 * second + random.upTo(9 * minute)
  const live = liveLife(set, serial, end - length, random)
  const jobStarted = live.steps.jobStarted ?? end - length
  const job = live.job ?? jobOf(serial, random)
  const failed = random.upTo(30) === 0
  return {
    ...live,
    phase: 'gone',
    steps: { ...live.steps, jobStarted, jobFinished: end - 3 * second, ended: end - 2 * second, gone: end },
    job,
    result: failed ? null : 'succeeded',
    exitCode: failed ? 137 : 0,
    problem: failed ? { ...quota, reason: 'memory-exceeded', sentence: 'The runner exceeded its memory limit.' } : null,
  }
}

const nextPhase: Readonly<Record<LifePhase, LifePhase>> = {
  starting: 'idle',
  idle: 'busy',
  busy: 'ending',
  ending: 'gone',
  gone: 'gone',
}

function moved(life: Life, now: Instant, random: Dice): Life {
  const phase = nextPhase[life.phase]
  const { steps } = life
  const at = {
    idle: { started: now - 1_500, online: now },
    busy: { queued: queuedBefore(steps, random), jobStarted: now },
    ending: { jobFinished: now, ended: now },
    gone: { gone: now },
    starting: {},
  }[phase]
  const job = phase === 'busy' ? jobOf(random.upTo(100_000), random) : life.job
  const result = phase === 'ending' ? 'succeeded' : life.result
  return { ...life, phase, steps: { ...steps, ...at }, job, result, problem: null }
}
