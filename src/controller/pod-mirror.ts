// The pods of all sets, as the watch tells them, handed to the set they belong to.
import type { ReflectorSink } from '../kubernetes/reflector.ts'
import type { Clock, Instant, Timer } from '../lib/clock.ts'
import type { PodFacts } from '../model/runner.ts'
import type { ObservedPod } from './observe/pod-facts.ts'
import type { SetWorker } from './set-worker.ts'

/** A watch that is broken for longer makes the counts unknown, in milliseconds. */
const staleMs = 30_000

export class PodMirror implements ReflectorSink<ObservedPod | undefined> {
  readonly #clock: Clock
  /** By the uid of the set, then by name: what a set that comes later starts with. */
  readonly #pods = new Map<string, Map<string, PodFacts>>()
  readonly #workers = new Map<string, SetWorker>()
  #listedAt: Instant | undefined
  #stale: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  attach(worker: SetWorker): void {
    const { uid } = worker.cache.set
    this.#workers.set(uid, worker)
    if (this.#listedAt === undefined) return
    worker.cache.podsListed(this.#pods.get(uid) ?? new Map(), this.#listedAt, this.#clock.now())
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
    for (const [uid, worker] of this.#workers) {
      worker.cache.podsListed(this.#pods.get(uid) ?? new Map(), askedAt, this.#clock.now())
      worker.wake()
    }
  }

  changed(pod: ObservedPod | undefined): void {
    if (!pod) return
    this.#ofSet(pod.setUid).set(pod.name, pod.facts)
    const worker = this.#workers.get(pod.setUid)
    worker?.cache.podSeen(pod.name, pod.facts, this.#clock.now())
    worker?.wake()
  }

  /** The last state comes with the end: a result that stands only there is taken from it. */
  removed(pod: ObservedPod | undefined): void {
    if (!pod) return
    this.#ofSet(pod.setUid).delete(pod.name)
    const worker = this.#workers.get(pod.setUid)
    if (!worker) return
    const now = this.#clock.now()
    if (worker.cache.table.get(pod.name)) worker.cache.podSeen(pod.name, pod.facts, now)
    worker.cache.podGone(pod.name, now)
    worker.wake()
  }

  progressed(at: Instant): void {
    const recovered = this.#stale !== undefined
    this.#alive()
    if (!recovered) return
    for (const worker of this.#workers.values()) {
      worker.cache.podsRead({ known: true, value: true, at })
      worker.wake()
    }
  }

  stale(since: Instant, why: string): void {
    this.#stale ??= this.#clock.after(staleMs, () => {
      for (const worker of this.#workers.values()) {
        worker.cache.podsRead({ known: false, since, why })
        worker.wake()
      }
    })
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
