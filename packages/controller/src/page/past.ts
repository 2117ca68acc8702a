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
  const told = new WeakMap<History, Told>()
  const toldTo = (fed: History) => {
    const known = told.get(fed) ?? { described: new Map(), seeded: new Set() }
    told.set(fed, known)
    return known
  }
  const insights = () => controller()?.insights() ?? []
  const unsubscribe = journal.subscribe((entry) => {
    const { event } = entry
    const fed = history()
    const known = toldTo(fed)
    // The first jobs of a new set come before the next comparison, and their addresses and requests follow from the set.
    if ('namespace' in event && !known.described.has(`${event.namespace}/${event.set}`)) {
      for (const insight of insights()) describe(fed, known, insight)
    }
    fed.take(entry)
  })
  let timer: Timer
  const compare = () => {
    timer = clock.after(compareMs, compare)
    const fed = history()
    for (const insight of insights()) compareSet(fed, toldTo(fed), insight, clock.now())
  }
  timer = clock.after(0, compare)
  return () => {
    unsubscribe()
    timer.cancel()
  }
}

/** What a history was told of the sets before. */
type Told = { readonly described: Map<string, SetInsight['set']>; readonly seeded: Set<string> }

function compareSet(history: History, told: Told, insight: SetInsight, now: number): void {
  const { counts, uid } = insight
  describe(history, told, insight)
  // The set's runners are known after the first complete list.
  if (counts && !told.seeded.has(uid)) seed(history, insight, now)
  if (counts) told.seeded.add(uid)
  history.reconcile(idOf(insight), waitingOf(insight), now)
}

function idOf({ set: { namespace, name } }: SetInsight): string {
  return `${namespace}/${name}`
}

function describe(history: History, { described }: Told, insight: SetInsight): void {
  const { set } = insight
  const id = idOf(insight)
  if (described.get(id) === set) return
  described.set(id, set)
  const { source, paused, queueTimeMs } = set
  history.describe({
    ...{ id, url: source.url, forge: source.kind, paused },
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
