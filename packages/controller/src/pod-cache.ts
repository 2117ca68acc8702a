// The pods of all sets, from one watch, handed to the worker of the set that each belongs to.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import type { ObservedPod } from './observe/pod-facts.ts'
import type { SetWorker } from './set-worker.ts'

/** A watch that is down for longer makes the counts unknown, in milliseconds. */
const staleMs = 30_000

export class PodCache implements ReflectorSink<ObservedPod | undefined> {
  readonly #clock: Clock
  /** By the uid of the set, then by name. A set that is seen after its pods starts with them. */
  readonly #pods = new Map<string, Map<string, PodFacts>>()
  readonly #workers = new Map<string, SetWorker>()
  #listedAt: Instant | undefined
  #stale: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  attach(worker: SetWorker): void {
    const { uid } = worker.set
    this.#workers.set(uid, worker)
    if (this.#listedAt !== undefined) this.#list(worker, this.#listedAt)
  }

  detach(uid: string): void {
    this.#workers.delete(uid)
  }

  stop(): void {
    this.#stale?.cancel()
  }

  replaced(items: readonly (ObservedPod | undefined)[], askedAt: Instant): void {
    this.#pods.clear()
    for (const pod of items) if (pod) this.#ofSet(pod.setUid).set(pod.name, pod.facts)
    this.#listedAt = askedAt
    this.#alive()
    for (const worker of this.#workers.values()) this.#list(worker, askedAt)
  }

  changed(pod: ObservedPod | undefined): void {
    if (!pod) return
    this.#ofSet(pod.setUid).set(pod.name, pod.facts)
    this.#workers.get(pod.setUid)?.take({ kind: 'pod-seen', name: pod.name, pod: pod.facts })
  }

  removed(pod: ObservedPod | undefined): void {
    if (!pod) return
    this.#ofSet(pod.setUid).delete(pod.name)
    this.#workers.get(pod.setUid)?.take({ kind: 'pod-gone', name: pod.name, last: pod.facts })
  }

  progressed(at: Instant): void {
    const recovered = this.#stale !== undefined
    this.#alive()
    if (!recovered) return
    for (const worker of this.#workers.values()) worker.take({ kind: 'pods-current', at })
  }

  stale(since: Instant, why: string): void {
    this.#stale ??= this.#clock.after(staleMs, () => {
      for (const worker of this.#workers.values()) worker.take({ kind: 'pods-stale', since, why })
    })
  }

  #list(worker: SetWorker, askedAt: Instant): void {
    worker.take({ kind: 'pods-listed', pods: this.#pods.get(worker.set.uid) ?? new Map(), askedAt })
  }

  #alive(): void {
    this.#stale?.cancel()
    this.#stale = undefined
  }

  #ofSet(uid: string): Map<string, PodFacts> {
    const known = this.#pods.get(uid)
    if (known) return known
    const fresh = new Map<string, PodFacts>()
    this.#pods.set(uid, fresh)
    return fresh
  }
}
