// Labels the pod of each runner that gets a job with the repository and the workflow, so that cost tools can divide its cost.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { costLabelsOf } from '@dayfly/runner-set/core/cost-labels'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import { clusterUnsuccessful } from './act/unsuccessful.ts'
import { otherSources, sourceOf, sourcesMax } from './job-source.ts'
import type { Journal } from './journal.ts'
import { pods } from './resources.ts'

type Started = Extract<JournalEvent, { kind: 'job-started' }>
type Term = { readonly kubernetes: Kubernetes; readonly signal: AbortSignal }

const others = costLabelsOf(otherSources)

/** Labels the pods of jobs that start, until the term ends. Returns what ends it. */
export function labelCosts(term: Term, journal: Journal): () => void {
  const labeller = new Labeller(term, journal)
  return journal.subscribe((entry) => labeller.follow(entry))
}

class Labeller {
  readonly #term: Term
  readonly #journal: Journal
  /** By namespace and name of a set: its pairs, as text. */
  readonly #pairs = new Map<string, Set<string>>()
  /** The sets whose last failure is reported already, with its message. */
  readonly #failed = new Map<string, string>()

  constructor(term: Term, journal: Journal) {
    this.#term = term
    this.#journal = journal
  }

  follow({ event }: Entry): void {
    if (event.kind === 'job-started') void this.#label(event)
    if (event.kind !== 'set-removed') return
    const key = `${event.namespace}/${event.set}`
    this.#pairs.delete(key)
    this.#failed.delete(key)
  }

  /** A pod without the labels only costs its line in a table: a label is never tried twice. A pod that is gone needs none. */
  async #label(event: Started): Promise<void> {
    const { namespace, set, runner } = event
    const { kubernetes, signal } = this.#term
    const key = `${namespace}/${set}`
    const body = { metadata: { labels: this.#labelsOf(key, event) } }
    try {
      await kubernetes.patch(pods, { namespace, name: runner }, { type: 'merge', body }, { signal, metadataOnly: true })
      this.#failed.delete(key)
    } catch (error) {
      if (error instanceof KubernetesError && error.kind === 'not-found') return
      const result = clusterUnsuccessful(error, signal)
      if (result.is === 'aborted') return
      const { failure } = result
      if (this.#failed.get(key) === failure.message) return
      this.#failed.set(key, failure.message)
      this.#journal.write({ kind: 'cost-labels-failed', namespace, set, failure })
    }
  }

  #labelsOf(key: string, { job }: Started): Readonly<Record<string, string>> {
    const labels = costLabelsOf(sourceOf(job))
    const text = Object.values(labels).join(' ')
    const pairs = this.#pairs.get(key) ?? new Set()
    this.#pairs.set(key, pairs)
    if (!pairs.has(text) && pairs.size >= sourcesMax) return others
    pairs.add(text)
    return labels
  }
}
