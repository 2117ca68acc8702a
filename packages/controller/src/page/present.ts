// The present as the page shows it, from the memory of the controller. Only an opened runner asks the API server.
import type { Life, WaitingJob } from '@dayfly/dashboard/model/life'
import type { SetNow } from '@dayfly/dashboard/model/set-now'
import type { PresentSource } from '@dayfly/dashboard/server/source'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { Controller } from '../controller.ts'
import type { Cluster } from '../operate/read.ts'
import { explanationOf, explanationOfGone, type RunnerExplanation } from '../operate/runner-explanation.ts'
import { viewOfStatus, viewSet } from '../operate/set-view.ts'
import type { SetInsight } from '../set-reading.ts'
import { type Figures, healthLines } from './health.ts'
import { readRunnerFacts } from './runner-facts.ts'
import { runnerLog } from './runner-log.ts'
import { differs, type Remembered, setNowOf, waitingOf } from './set-now.ts'
import { setOfView } from './set-of-view.ts'

export type PresentOptions = {
  /** Undefined until the controller runs. */
  readonly controller: () => Controller | undefined
  readonly cluster: Cluster
  readonly logs: PodLogs
  readonly clock: Clock
  readonly limits: Limits
  readonly figures: () => Figures
  /** The waiting jobs that the history knows. */
  readonly jobs: () => Iterable<WaitingJob>
}

export function presentOf(options: PresentOptions): PresentSource {
  const { controller, clock, limits, figures, cluster, logs } = options
  const memory = new Map<string, Remembered>()
  const insights = () => controller()?.insights() ?? []
  return {
    sets: () => {
      const now = clock.now()
      const oldest = oldestOf(options.jobs())
      const all = insights()
      const known = new Set(all.map(({ set }) => idOf(set)))
      for (const id of memory.keys()) if (!known.has(id)) memory.delete(id)
      const read = all.map((insight) => {
        const id = idOf(insight.set)
        const remembered = remember(memory.get(id), insight, oldest.get(id), now)
        memory.set(id, remembered)
        return setNowOf(insight, remembered, limits, now)
      })
      return [...read, ...(controller()?.invalid() ?? []).map(invalidSet)]
    },
    health: (scope) => healthLines({ state: controller()?.state(), figures: figures(), now: clock.now() }, scope),
    limits: [],
    runner: async (life, signal) => {
      const insight = insights().find(({ set }) => idOf(set) === life.set)
      const explanation = explain(insight, life, limits, clock.now())
      return readRunnerFacts({ ...cluster, signal }, life, explanation)
    },
    log: (life, signal) => runnerLog(logs, life, signal),
  }
}

/** It has no worker, so the page shows what its object says. */
function invalidSet(object: KubeObject): SetNow {
  return setOfView(viewSet(object), { work: { is: 'working' }, why: null, waitingSince: null, oldSince: null })
}

function idOf({ namespace, name }: { readonly namespace: string; readonly name: string }): SetNow['id'] {
  return `${namespace}/${name}`
}

function oldestOf(jobs: Iterable<WaitingJob>): ReadonlyMap<string, Instant> {
  const oldest = new Map<string, Instant>()
  for (const { set, queuedAt } of jobs) oldest.set(set, Math.min(queuedAt, oldest.get(set) ?? queuedAt))
  return oldest
}

/** Times count from the first look that saw the state. An unknown demand ends no wait. */
function remember(
  before: Remembered | undefined,
  insight: SetInsight,
  oldest: Instant | undefined,
  now: Instant,
): Remembered {
  const waiting = waitingOf(insight)
  const since = before?.waitingSince ?? null
  return {
    waitingSince: waiting === 0 ? null : waiting === null ? since : (since ?? now),
    oldestQueuedAt: oldest ?? null,
    differsSince: differs(insight) ? (before?.differsSince ?? now) : null,
  }
}

function explain(insight: SetInsight | undefined, life: Life, limits: Limits, now: Instant): RunnerExplanation {
  const view = insight && viewOfStatus(insight.set, insight.status, undefined)
  const jobs = (view?.jobs ?? []).filter(({ runner }) => runner === life.runner)
  const runner = insight?.state.table.get(life.runner)
  return view && runner ? explanationOf(runner, jobs, { view, limits, now }) : explanationOfGone(jobs, now)
}
