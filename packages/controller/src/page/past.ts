// Feeds the history of the page: the journal, what the journal does not say of each set, and the lives from before this process.
import type { History } from '@dayfly/dashboard/history/history'
import type { Clock, Timer } from '@dayfly/kit/clock'
import { isSeenOnline } from '@dayfly/runner-set/core/phase'
import type { Controller } from '../controller.ts'
import type { Journal } from '../journal.ts'
import type { SetInsight } from '../set-worker.ts'
import { requestsOf } from './requests.ts'
import { waitingOf } from './set-now.ts'

/** How often the history is compared with the sets, in milliseconds. */
const compareMs = 2_000

type Feeding = {
  readonly history: History
  readonly journal: Journal
  readonly clock: Clock
  readonly controller: () => Controller | undefined
}

/** Feeds the history from now on. Returns how to end that. */
export function feedHistory({ history, journal, clock, controller }: Feeding): () => void {
  const seeded = new Set<string>()
  const described = new Map<string, SetInsight['set']>()
  const describeNow = (insight: SetInsight) => {
    const id = idOf(insight)
    if (described.get(id) !== insight.set) describe(history, insight)
    described.set(id, insight.set)
  }
  const unsubscribe = journal.subscribe((entry) => {
    const { event } = entry
    // The first jobs of a new set come before the next comparison, and their addresses and requests follow from the set.
    if ('namespace' in event && !described.has(`${event.namespace}/${event.set}`)) {
      for (const insight of controller()?.insights() ?? []) describeNow(insight)
    }
    history.take(entry)
  })
  let timer: Timer
  const compare = () => {
    timer = clock.after(compareMs, compare)
    for (const insight of controller()?.insights() ?? []) {
      const id = idOf(insight)
      describeNow(insight)
      // The set's runners are known after the first complete list.
      if (insight.counts && !seeded.has(insight.uid)) seed(history, insight, clock.now())
      if (insight.counts) seeded.add(insight.uid)
      history.reconcile(id, waitingOf(insight), clock.now())
    }
  }
  timer = clock.after(0, compare)
  return () => {
    unsubscribe()
    timer.cancel()
  }
}

function idOf({ set: { namespace, name } }: SetInsight): string {
  return `${namespace}/${name}`
}

function describe(history: History, { set }: SetInsight): void {
  const { namespace, name, source, paused, queueTimeMs } = set
  history.describe({
    ...{ id: `${namespace}/${name}`, url: source.url, forge: source.kind, paused },
    requests: requestsOf(set),
    objectiveMs: queueTimeMs ?? null,
    priceLabel: null,
  })
}

function seed(history: History, { set, state, jobs }: SetInsight, now: number): void {
  const { namespace, name } = set
  const runners = [...state.table.all()].flatMap((runner) => {
    // The journal knows the times of a runner that it has seen from the start, and the API server only their seconds.
    const isFollowed = history.life(`${namespace}/${runner.name}`)?.steps.created != null
    if (runner.pod.is !== 'present' || isFollowed) return []
    const { createdAt, startedAt, node, end } = runner.pod.value
    const pod = { createdAt, startedAt, node, end }
    const job = jobs.find((one) => one.runner === runner.name)
    return [{ namespace, set: name, runner: runner.name, pod, isOnline: isSeenOnline(runner), job }]
  })
  const living = new Set(runners.map(({ runner }) => runner))
  const gone = jobs.filter(({ runner }) => !living.has(runner))
  const past = gone.map((job) => ({
    ...{ namespace, set: name, runner: job.runner, pod: undefined, isOnline: false, job },
  }))
  history.seed([...runners, ...past.toReversed()], now)
}
