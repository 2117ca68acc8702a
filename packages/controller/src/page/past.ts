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
  /** The history that is fed now. A new one begins empty. */
  readonly history: () => History
  readonly journal: Journal
  readonly clock: Clock
  readonly controller: () => Controller | undefined
}

/** Feeds the history from now on. Returns how to end that. */
export function feedHistory({ history, journal, clock, controller }: Feeding): () => void {
  const unsubscribe = journal.subscribe((entry) => history().take(entry))
  const known = new WeakMap<History, Known>()
  let timer: Timer
  const compare = () => {
    timer = clock.after(compareMs, compare)
    const fed = history()
    const of = known.get(fed) ?? { described: new Map(), seeded: new Set() }
    known.set(fed, of)
    for (const insight of controller()?.insights() ?? []) compareSet(fed, of, insight, clock.now())
  }
  timer = clock.after(0, compare)
  return () => {
    unsubscribe()
    timer.cancel()
  }
}

/** What a history was told before. */
type Known = { readonly described: Map<string, SetInsight['set']>; readonly seeded: Set<string> }

function compareSet(history: History, { described, seeded }: Known, insight: SetInsight, now: number): void {
  const { set, counts, uid } = insight
  const id = `${set.namespace}/${set.name}`
  if (described.get(id) !== set) describe(history, insight)
  described.set(id, set)
  // The set's runners are known after the first complete list.
  if (counts && !seeded.has(uid)) seed(history, insight, now)
  if (counts) seeded.add(uid)
  history.reconcile(id, waitingOf(insight), now)
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
