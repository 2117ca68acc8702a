// The pods of all sets, from one watch, handed to the worker of the set that each belongs to.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import type { ObservedPod } from './observe/pod-facts.ts'
import type { SetWorker } from './set-worker.ts'

/** A watch that is down for longer makes the counts unknown, in milliseconds. */
const staleMs = 30_000

type SetPods = { pods: Map<string, PodFacts>; worker: SetWorker | undefined }

export class PodCache implements ReflectorSink<ObservedPod | undefined> {
  readonly #clock: Clock
  /** The uid of a set leads to its pods. A set that is read after its pods starts with them. */
  readonly #sets = new Map<string, SetPods>()
  #listedAt: Instant | undefined
  #onOther = (_uid: string): void => {}
  #stale: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  attach(worker: SetWorker): void {
    const set = this.#set(worker.set.uid)
    set.worker = worker
    if (this.#listedAt !== undefined) list(set, this.#listedAt)
  }

  /** @param onOther is called with the UID of a set without a worker when one of its pods changes */
  watchOthers(onOther: (uid: string) => void): void {
    this.#onOther = onOther
  }

  /** Returns how many pods of a set have a running container, or may get one; undefined until the pods are listed. */
  occupiedBy(uid: string): number | undefined {
    if (this.#listedAt === undefined) return undefined
    return [...(this.#sets.get(uid)?.pods.values() ?? [])].filter(({ finished }) => !finished).length
  }

  /** Returns the pod of a runner, also of a set without a worker; undefined if none is known. */
  podOf(runner: string): PodFacts | undefined {
    for (const { pods } of this.#sets.values()) {
      const found = pods.get(runner)
      if (found) return found
    }
    return undefined
  }

  /** Whether the pods were listed since the last doubt. */
  isListed(): boolean {
    return this.#listedAt !== undefined
  }

  detach(uid: string): void {
    const set = this.#sets.get(uid)
    if (set) set.worker = undefined
  }

  /** Makes the counts unknown until the next complete list. */
  doubt(): void {
    this.#listedAt = undefined
    const why = 'the pods are listed again for this new leader'
    for (const { worker } of this.#sets.values()) worker?.take({ kind: 'pods-stale', since: this.#clock.now(), why })
  }

  stop(): void {
    this.#stale?.cancel()
  }

  replaced(items: readonly (ObservedPod | undefined)[], askedAt: Instant): void {
    for (const [uid, set] of this.#sets) {
      if (set.worker) set.pods = new Map()
      else this.#sets.delete(uid)
    }
    for (const pod of items) if (pod) this.#set(pod.setUid).pods.set(pod.name, pod.facts)
    this.#listedAt = askedAt
    this.#alive()
    for (const set of this.#sets.values()) list(set, askedAt)
  }

  changed(pod: ObservedPod | undefined): void {
    if (!pod) return
    const { pods, worker } = this.#set(pod.setUid)
    pods.set(pod.name, pod.facts)
    if (worker) worker.take({ kind: 'pod-seen', name: pod.name, pod: pod.facts })
    else this.#onOther(pod.setUid)
  }

  removed(pod: ObservedPod | undefined): void {
    if (!pod) return
    const { pods, worker } = this.#set(pod.setUid)
    pods.delete(pod.name)
    if (worker) worker.take({ kind: 'pod-gone', name: pod.name, last: pod.facts })
    else this.#onOther(pod.setUid)
  }

  progressed(at: Instant): void {
    const recovered = this.#stale !== undefined
    this.#alive()
    if (!recovered) return
    for (const { worker } of this.#sets.values()) worker?.take({ kind: 'pods-current', at })
  }

  stale(since: Instant, why: string): void {
    this.#stale ??= this.#clock.after(staleMs, () => {
      for (const { worker } of this.#sets.values()) worker?.take({ kind: 'pods-stale', since, why })
    })
  }

  #alive(): void {
    this.#stale?.cancel()
    this.#stale = undefined
  }

  #set(uid: string): SetPods {
    const known = this.#sets.get(uid)
    if (known) return known
    const fresh = { pods: new Map<string, PodFacts>(), worker: undefined }
    this.#sets.set(uid, fresh)
    return fresh
  }
}

function list({ pods, worker }: SetPods, askedAt: Instant): void {
  worker?.take({ kind: 'pods-listed', pods, askedAt })
}
