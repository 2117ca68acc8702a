// Feeds the history of the page: the journal, what the journal does not say of each set, and the lives from before this process.
import type { History } from '@dayfly/dashboard/history/history'
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import { isSeenOnline } from '@dayfly/runner-set/core/phase'
import type { Entry } from '@dayfly/runner-set/model/event'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { Controller } from '../controller.ts'
import type { Journal } from '../journal.ts'
import type { SetInsight } from '../set-reading.ts'
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
  /** The labels of nodes that have prices of their own, each as `key=value`. */
  readonly priceLabels: readonly string[]
}

/** Feeds the history from now on. Returns how to end that. */
export function feedHistory(feeding: Feeding): () => void {
  const { journal, clock } = feeding
  const feeder = new Feeder(feeding)
  const unsubscribe = journal.subscribe((entry) => feeder.take(entry))
  let timer: Timer
  const compare = () => {
    timer = clock.after(compareMs, compare)
    feeder.compare(clock.now())
  }
  timer = clock.after(0, compare)
  return () => {
    unsubscribe()
    timer.cancel()
  }
}

/** A set as a history knows it already. */
type Known = { readonly set: RunnerSet; readonly isSeeded: boolean }

class Feeder {
  readonly #feeding: Feeding
  readonly #known = new WeakMap<History, Map<string, Known>>()

  constructor(feeding: Feeding) {
    this.#feeding = feeding
  }

  take(entry: Entry): void {
    const { event } = entry
    const history = this.#feeding.history()
    // The first jobs of a new set come before the next comparison, and their addresses and requests follow from the set.
    if ('namespace' in event && !this.#of(history).has(`${event.namespace}/${event.set}`)) {
      for (const { set } of this.#insights()) this.#describe(history, set)
    }
    history.take(entry)
  }

  compare(now: Instant): void {
    const history = this.#feeding.history()
    const known = this.#of(history)
    const insights = this.#insights()
    const ids = new Set(insights.map(({ set }) => idOf(set)))
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    for (const insight of insights) {
      const { isSeeded, set } = this.#describe(history, insight.set)
      // The set's runners are known after the first complete list.
      if (insight.counts && !isSeeded) {
        seed(history, insight, now)
        known.set(idOf(set), { set, isSeeded: true })
      }
      history.reconcile(idOf(set), waitingOf(insight), now)
    }
  }

  #insights(): readonly SetInsight[] {
    return this.#feeding.controller()?.insights() ?? []
  }

  #of(history: History): Map<string, Known> {
    const known = this.#known.get(history) ?? new Map<string, Known>()
    this.#known.set(history, known)
    return known
  }

  #describe(history: History, set: RunnerSet): Known {
    const id = idOf(set)
    const known = this.#of(history)
    const before = known.get(id)
    if (before?.set === set) return before
    const after = { set, isSeeded: before?.set.uid === set.uid && before.isSeeded }
    known.set(id, after)
    const { source, paused, queueTimeMs } = set
    history.describe({
      ...{ id, url: source.url, forge: source.kind, paused },
      requests: requestsOf(set),
      objectiveMs: queueTimeMs ?? null,
      priceLabel: this.#priceLabel(set),
    })
    return after
  }

  /** The node of a runner is known only after its start, so the set's own choice of nodes names the price. */
  #priceLabel({ template }: RunnerSet): string | null {
    const chosen = Object.entries((template.spec?.['nodeSelector'] ?? {}) as Readonly<Record<string, unknown>>)
    const labels = chosen.map(([key, value]) => `${key}=${value}`)
    return this.#feeding.priceLabels.find((label) => labels.includes(label)) ?? null
  }
}

function idOf({ namespace, name }: RunnerSet): string {
  return `${namespace}/${name}`
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
