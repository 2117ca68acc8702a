// The state of one watch, for health checks and the log: passes everything on, and remembers whether the cache is complete and up to date.
import type { Instant } from '@dayfly/kit/clock'
import { TransportError } from '@dayfly/kit/http'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { ClusterFault } from '@dayfly/runner-set/model/event'
import type { Journal } from './journal.ts'

export type WatchState = {
  /** The plural name of the watched kind. */
  readonly resource: string
  /** When the last complete list was requested; undefined before the first. */
  readonly listedAt: Instant | undefined
  /** Why the cache may be out of date; undefined while the watch works. */
  readonly failure: WatchFailure | undefined
}

export type WatchFailure = {
  readonly since: Instant
  readonly why: string
  readonly by: ClusterFault
  /** Whether the server refused the credential, or its certificate is not trusted. */
  readonly isUntrusted: boolean
}

export class WatchHealth<T> implements ReflectorSink<T> {
  readonly #resource: string
  readonly #sink: ReflectorSink<T>
  readonly #journal: Journal
  #listedAt: Instant | undefined
  #failure: WatchFailure | undefined

  constructor(resource: string, sink: ReflectorSink<T>, journal: Journal) {
    this.#resource = resource
    this.#sink = sink
    this.#journal = journal
  }

  state(): WatchState {
    return { resource: this.#resource, listedAt: this.#listedAt, failure: this.#failure }
  }

  replaced(items: readonly T[], askedAt: Instant): void {
    this.#listedAt = askedAt
    this.#sink.replaced(items, askedAt)
    this.#recovered(items.length)
  }

  changed(item: T): void {
    this.#sink.changed(item)
  }

  removed(item: T): void {
    this.#sink.removed(item)
  }

  progressed(at: Instant): void {
    this.#sink.progressed(at)
    this.#recovered(undefined)
  }

  stale(since: Instant, why: string, error: unknown): void {
    this.#sink.stale(since, why, error)
    const by = faultOf(error)
    const before = this.#failure
    this.#failure = { since, why, by, isUntrusted: isUntrusted(error) }
    if (before?.why === why) return
    this.#journal.write({ kind: 'watch-failed', resource: this.#resource, message: why, by })
  }

  #recovered(objects: number | undefined): void {
    if (!this.#failure) return
    this.#failure = undefined
    this.#journal.write({ kind: 'watch-recovered', resource: this.#resource, objects })
  }
}

/** Kinds of refusal that stay until an operator changes the installation: rights, credential, custom kind. */
const lasting: readonly KubernetesError['kind'][] = ['forbidden', 'unauthorized', 'not-found']

export function faultOf(error: unknown): ClusterFault {
  return error instanceof KubernetesError && lasting.includes(error.kind) ? 'installation' : 'outage'
}

function isUntrusted(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return false
  return error.kind === 'unauthorized' || (error.cause instanceof TransportError && error.cause.kind === 'certificate')
}
