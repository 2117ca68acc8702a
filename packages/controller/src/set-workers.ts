// The RunnerSets, from one watch: a worker for each, which starts, changes and ends with it.
import type { Leadership } from '@dayfly/kubernetes/lease'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { storedForgeState } from '@dayfly/runner-set/core/state/set-state'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { JobRunner } from '@dayfly/runner-set/model/job-pod'
import { setNameIn } from '@dayfly/runner-set/model/runner-names'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { Records } from './connection.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'
import type { PodCache } from './pod-cache.ts'
import { PoolMates } from './pool-mates.ts'
import type { QuotaCache } from './quota-cache.ts'
import { Removals } from './removals.ts'
import { reportInvalid } from './report-invalid.ts'
import { rivalOf } from './rival.ts'
import type { AtWork, SetEntry, Unreadable } from './set-entry.ts'
import type { SetInsight, SetReading } from './set-reading.ts'
import { SetWorker } from './set-worker.ts'

export class SetWorkers implements ReflectorSink<KubeObject> {
  readonly #options: ControllerOptions
  readonly #journal: Journal
  readonly #pods: PodCache
  readonly #quotas: QuotaCache
  /** Every set that exists, by namespace and name. */
  readonly #sets = new Map<string, SetEntry>()
  /** The UID of a set leads to the end of its worker. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #removals: Removals
  readonly #mates: PoolMates
  readonly #onSet: (set: RunnerSet) => void
  #leadership: Leadership | undefined

  /** @param onSet is called with each set that is read */
  constructor(
    options: ControllerOptions,
    journal: Journal,
    { pods, quotas }: { readonly pods: PodCache; readonly quotas: QuotaCache },
    onSet: (set: RunnerSet) => void,
  ) {
    this.#onSet = onSet
    this.#options = options
    this.#journal = journal
    this.#pods = pods
    this.#quotas = quotas
    this.#removals = new Removals(options, journal)
    this.#mates = new PoolMates(pods, () => this.#atWork().map(({ worker }) => worker))
  }

  lead(leadership: Leadership): void {
    this.#leadership = leadership
    for (const [key, entry] of this.#sets) {
      if (entry.is === 'at-work') this.#upToDate(key, entry).lead(leadership)
      if (entry.is === 'unreadable') this.#report(entry, leadership)
    }
    this.#removals.lead()
  }

  /** Ends the work of every set, with its last status. Runners live on. */
  async stop(): Promise<void> {
    this.#leadership = undefined
    const removals = this.#removals.stop()
    await Promise.all(this.#atWork().map(({ worker }) => worker.handOver()))
    await Promise.all([...this.#ending.values(), removals])
    this.#sets.clear()
  }

  /** @param namespace the only one whose quotas changed; undefined if all may have */
  quotasChanged(namespace?: string): void {
    for (const { worker } of this.#atWork()) {
      if (namespace === undefined || worker.set.namespace === namespace) this.#tellQuotas(worker)
    }
  }

  /** Returns what each set shows, in memory order. */
  readings(): readonly SetReading[] {
    return this.#atWork().map(({ worker }) => worker.reading())
  }

  /** Returns what the page shows of each set, in memory order. */
  insights(): readonly SetInsight[] {
    return this.#atWork().map(({ worker }) => worker.insight())
  }

  /** Returns the sets that cannot be read. */
  invalid(): readonly KubeObject[] {
    return [...this.#sets.values()].flatMap((entry) => (entry.is === 'unreadable' ? [entry.object] : []))
  }

  /** Returns what the set of a runner knows of it; undefined if no set has such a name. */
  runnerOf(namespace: string, runner: string): JobRunner | undefined {
    for (const { worker } of this.#atWork()) {
      const found = worker.set.namespace === namespace ? worker.runner(runner) : undefined
      if (found) return found
    }
    // The set was deleted, or its spec cannot be read: its runners live on for a while.
    if (setNameIn(runner) === undefined) return undefined
    const pod = this.#pods.podOf(runner)
    return { set: undefined, pod, isGone: pod === undefined && this.#pods.isListed() }
  }

  uidOf(namespace: string, set: string): string | undefined {
    return this.#sets.get(`${namespace}/${set}`)?.uid
  }

  replaced(items: readonly KubeObject[]): void {
    const present = new Set(items.map(({ metadata }) => metadata.uid))
    for (const [key, entry] of this.#sets) if (!present.has(entry.uid)) this.#forget(key, entry)
    for (const item of items) this.changed(item)
  }

  changed(object: KubeObject): void {
    const { uid = '', generation, deletionTimestamp } = object.metadata
    const key = keyOf(object)
    let entry = this.#sets.get(key)
    if (entry && (entry.uid !== uid || deletionTimestamp !== undefined)) {
      this.#forget(key, entry)
      entry = undefined
    }
    if (deletionTimestamp !== undefined) {
      this.#sets.set(key, { is: 'deleted', uid })
      return
    }
    // Most changes are of the status, by this process. They need no reading of the spec.
    if (entry?.is === 'at-work' && entry.worker.set.generation === generation) this.#noteStatus(key, entry, object)
    else this.#read(key, entry, object)
  }

  removed(object: KubeObject): void {
    const key = keyOf(object)
    const entry = this.#sets.get(key)
    if (entry && entry.uid === object.metadata.uid) this.#forget(key, entry)
  }

  progressed(): void {}

  stale(): void {}

  #tellQuotas(worker: SetWorker): void {
    const quotas = this.#quotas.of(worker.set.namespace)
    const { announcesCapacity } = forgeTraits[worker.set.source.kind]
    if (announcesCapacity && quotas !== 'unread') worker.take({ kind: 'quotas-seen', quotas })
  }

  #atWork(): readonly AtWork[] {
    return [...this.#sets.values()].filter((entry) => entry.is === 'at-work')
  }

  #report({ object, problems }: Unreadable, leadership: Leadership): void {
    const { namespace = '', name } = object.metadata
    this.#journal.write({ kind: 'set-invalid', namespace, set: name, problems })
    void reportInvalid(this.#options, leadership, object, problems)
  }

  #noteStatus(key: string, entry: AtWork, object: KubeObject): void {
    if (this.#leads()) entry.worker.statusWritten(object['status'])
    else this.#sets.set(key, { ...entry, rewritten: object })
  }

  #read(key: string, before: SetEntry | undefined, object: KubeObject): void {
    const { uid = '', generation } = object.metadata
    const parsed = this.#options.parseSet(object)
    if (parsed.ok) this.#onSet(parsed.set)
    const atWork = before?.is === 'at-work' ? before : undefined
    if (parsed.ok && parsed.set.sizes) {
      this.#sets.set(key, { is: 'sized', uid })
      if (atWork) this.#end(atWork, 'pause')
      this.#mates.gone(uid)
      return
    }
    if (parsed.ok && atWork) {
      atWork.worker.changed(parsed.set)
      const { namespace, name: set, paused } = parsed.set
      this.#journal.write({ kind: 'set-changed', namespace, set, paused })
      this.#noteStatus(key, atWork, object)
      return
    }
    if (parsed.ok && this.#ending.has(uid)) {
      this.#sets.set(key, { is: 'returning', uid, object, last: parsed.set })
      return
    }
    if (parsed.ok) {
      this.#begin(key, uid, this.#worker(parsed.set, object['status']))
      return
    }
    const problems = parsed.problems.map(({ path, sentence }) => `${path}: ${sentence}`)
    const unread = before?.is === 'unreadable' ? before : undefined
    const entry = { is: 'unreadable', uid, object, problems, last: lastOf(before) } as const
    this.#sets.set(key, entry)
    // Our own report of the same spec comes back as an event.
    const isReported = unread?.object.metadata.generation === generation
    if (this.#leadership && !isReported) this.#report(entry, this.#leadership)
    // The set still exists, so its records at the forge stay: jobs may be queued there.
    if (atWork) this.#end(atWork, 'pause')
    this.#mates.unread({ uid, namespace: object.metadata.namespace ?? '', pool: parsed.pool })
  }

  #worker(set: RunnerSet, status: unknown): SetWorker {
    const sets = () => this.#atWork().map(({ worker }) => worker.set)
    const around = { rival: (of: RunnerSet) => rivalOf(of, sets()), mates: (of: RunnerSet) => this.#mates.matesOf(of) }
    return new SetWorker(this.#options, this.#journal, { set, status, ...around })
  }

  #begin(key: string, uid: string, worker: SetWorker): void {
    this.#sets.set(key, { is: 'at-work', uid, worker, rewritten: undefined })
    const { namespace, name } = worker.set
    this.#journal.write({ kind: 'set-added', namespace, set: name })
    this.#mates.cameBack(uid)
    this.#pods.attach(worker)
    this.#tellQuotas(worker)
    if (this.#leadership) worker.lead(this.#leadership)
  }

  #leads(): boolean {
    return this.#leadership !== undefined && !this.#leadership.signal.aborted
  }

  /** Returns a worker that knows the latest stored status: a new one, if another process wrote the status. */
  #upToDate(key: string, { uid, worker, rewritten }: AtWork): SetWorker {
    const parsed = rewritten && this.#options.parseSet(rewritten)
    let current = worker
    if (parsed?.ok) {
      void worker.stop('pause')
      current = this.#worker(parsed.set, rewritten?.['status'])
      this.#pods.attach(current)
      this.#tellQuotas(current)
    }
    this.#sets.set(key, { is: 'at-work', uid, worker: current, rewritten: undefined })
    return current
  }

  /** The set does not exist any more, or is deleted: its records at the forge must go. */
  #forget(key: string, entry: SetEntry): void {
    this.#sets.delete(key)
    if (entry.is === 'at-work') this.#end(entry, 'remove')
    this.#mates.gone(entry.uid)
    if ((entry.is === 'unreadable' || entry.is === 'returning') && entry.last) {
      const state = storedForgeState(entry.object['status'])
      this.#remove({ set: entry.last, access: undefined, state }, this.#leads())
    }
  }

  #end({ uid, worker, rewritten }: AtWork, how: 'pause' | 'remove'): void {
    this.#pods.detach(uid)
    this.#mates.left(worker)
    const { namespace, name } = worker.set
    this.#journal.write({ kind: 'set-removed', namespace, set: name })
    const led = this.#leads()
    const ending = worker
      .stop(how)
      .then((left) => {
        if (!left) return
        this.#remove(rewritten ? { ...left, state: storedForgeState(rewritten['status']) } : left, led)
      })
      .catch(() => {})
      .finally(() => this.#ended(uid, `${namespace}/${name}`))
    this.#ending.set(uid, ending)
  }

  #ended(uid: string, key: string): void {
    this.#ending.delete(uid)
    this.#mates.ended(uid)
    const entry = this.#sets.get(key)
    if (entry?.is === 'returning' && entry.uid === uid) this.#read(key, entry, entry.object)
  }

  /**
   * Another process that leads removes the records itself. This one remembers them, because it may lead before the other has.
   * @param led whether this process led when the set was deleted
   */
  #remove(records: Records, led: boolean): void {
    if (led || this.#leads()) this.#removals.begin(records)
    else this.#removals.remember(records)
  }
}

/** Returns the set as it could be read last. */
function lastOf(entry: SetEntry | undefined): RunnerSet | undefined {
  if (entry?.is === 'at-work') return entry.worker.set
  return entry?.is === 'unreadable' || entry?.is === 'returning' ? entry.last : undefined
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`
}
