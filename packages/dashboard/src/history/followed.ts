// One life as the history follows it: what the page shows, and what the fold must remember besides.
import type { Instant } from '@dayfly/kit/clock'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import type { JobShown, Life, LifePhase, Words } from '../model/life.ts'
import { bounded } from './job-shown.ts'
import type { SetFacts } from './set-facts.ts'
import { noSteps } from './steps.ts'

/** A job that a runner had before the one that its life shows. */
export type EarlierJob = {
  readonly job: JobShown
  readonly from: Instant
  readonly to: Instant
}

export type Followed = {
  readonly life: Life
  /** The furthest phase that an event has shown. */
  readonly reached: LifePhase
  /** The first event of it. */
  readonly foundAt: Instant
  /** This process knows when the life began. Without that, an event may report an old step. */
  readonly isBegun: boolean
  /** An event or a list has shown its pod. A late message of the forge alone proves no pod. */
  readonly hasPod: boolean
  /** When its events stopped: with the removal of its set, or with the end of an earlier process. */
  readonly lostAt: Instant | null
  readonly problemIs: ProblemKind | null
  readonly earlierJobs: readonly EarlierJob[]
  /** The label whose prices hold for its node. */
  readonly priceLabel: string | null
  /** From when on it counts in the sums; null until it is over, or if this process does not count it. */
  readonly countedFrom: Instant | null
}

/** `delayed` passes when the start goes on. The others stay, the most severe one last. */
export const problemKinds = ['delayed', 'cordon', 'job', 'failed'] as const
export type ProblemKind = (typeof problemKinds)[number]

export const lifePhases = ['starting', 'idle', 'busy', 'ending', 'gone'] as const satisfies readonly LifePhase[]

/** @param runner its name; @param namespace the one of its set */
export function newFollowed(
  { namespace, set, runner }: { readonly namespace: string; readonly set: string; readonly runner: string },
  at: Instant,
): Followed {
  return {
    life: {
      id: `${namespace}/${runner}`,
      set: `${namespace}/${set}`,
      runner,
      phase: 'starting',
      steps: noSteps,
      job: null,
      result: null,
      node: null,
      exitCode: null,
      problem: null,
      requests: null,
    },
    reached: 'starting',
    foundAt: at,
    isBegun: false,
    hasPod: false,
    lostAt: null,
    problemIs: null,
    earlierJobs: [],
    priceLabel: null,
    countedFrom: null,
  }
}

/** Returns whether the runner works no more: its parts count in the sums. */
export function isOver({ life, lostAt }: Followed): boolean {
  return life.steps.ended !== null || life.phase === 'gone' || lostAt !== null
}

/** Returns the life with the phase that follows from its facts, and with what is known of its set. */
export function settled(followed: Followed, facts: SetFacts | undefined): Followed {
  const { life, reached, lostAt } = followed
  const phase = lostAt === null ? reached : 'gone'
  const requests = life.requests ?? facts?.requests ?? null
  const priceLabel = followed.priceLabel ?? facts?.priceLabel ?? null
  if (phase === life.phase && requests === life.requests && priceLabel === followed.priceLabel) return followed
  return { ...followed, life: { ...life, phase, requests }, priceLabel }
}

/** The observation of a failure may hold the text of a server. */
const detailLengthMax = 1_000

export function wordsOf({ reason, message }: Failure): Words {
  const { sentence, next } = failureInfo(reason)
  return { reason, sentence, detail: bounded(message, detailLengthMax), next }
}
