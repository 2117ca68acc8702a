// The RunnerSets, from one watch: a worker for each, which starts, changes and ends with it.
import type { Leadership } from '@dayfly/kubernetes/lease'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { storedForgeState } from '@dayfly/runner-set/core/state/set-state'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { Records } from './connection.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'
import type { PodCache } from './pod-cache.ts'
import { Removals } from './removals.ts'
import { reportInvalid } from './report-invalid.ts'
import { type SetReading, SetWorker } from './set-worker.ts'

type InvalidSet = {
  readonly object: KubeObject
  readonly problems: readonly string[]
  /** The set when it could be read last. Its records are still at the forge. */
  readonly last: RunnerSet | undefined
}

export class SetWorkers implements ReflectorSink<KubeObject> {
  readonly #options: ControllerOptions
  readonly #journal: Journal
  readonly #pods: PodCache
  /** The uid of a set leads to its worker. */
  readonly #workers = new Map<string, SetWorker>()
  /** The uid of every set that exists, by namespace and name, including sets that cannot be read. */
  readonly #uids = new Map<string, string>()
  /** The sets that cannot be read, by uid. A new leader reports them, because no event of theirs may come again. */
  readonly #invalid = new Map<string, InvalidSet>()
  /** The sets whose stored status changed while this process did not lead, by uid. Another process wrote it, so their workers do not know it. */
  readonly #rewritten = new Map<string, KubeObject>()
  readonly #ending = new Set<Promise<void>>()
  readonly #removals: Removals
  #leadership: Leadership | undefined

  constructor(options: ControllerOptions, journal: Journal, pods: PodCache) {
    this.#options = options
    this.#journal = journal
    this.#pods = pods
    this.#removals = new Removals(options, journal)
  }

  lead(leadership: Leadership): void {
    this.#leadership = leadership
    for (const object of this.#rewritten.values()) this.#renew(object)
    this.#rewritten.clear()
    for (const worker of this.#workers.values()) worker.lead(leadership)
    for (const invalid of this.#invalid.values()) this.#report(invalid, leadership)
    this.#removals.lead()
  }

  /** Ends the work of every set, with its last status. Runners live on. */
  async stop(): Promise<void> {
    this.#leadership = undefined
    const removals = this.#removals.stop()
    await Promise.all([...this.#workers.values()].map((worker) => worker.handOver()))
    await Promise.all([...this.#ending, removals])
    this.#workers.clear()
  }

  /** Returns what each set shows, in memory order. */
  readings(): readonly SetReading[] {
    return [...this.#workers.values()].map((worker) => worker.reading())
  }

  /** Returns the sets that cannot be read. */
  invalid(): readonly KubeObject[] {
    return [...this.#invalid.values()].map(({ object }) => object)
  }

  uidOf(namespace: string, set: string): string | undefined {
    return this.#uids.get(`${namespace}/${set}`)
  }

  replaced(items: readonly KubeObject[]): void {
    const present = new Set(items.map(({ metadata }) => metadata.uid))
    for (const [uid, worker] of this.#workers) if (!present.has(uid)) this.#end(uid, worker, 'remove')
    for (const [uid, invalid] of this.#invalid) if (!present.has(uid)) this.#endInvalid(uid, invalid)
    for (const item of items) this.changed(item)
  }

  changed(object: KubeObject): void {
    const { uid = '', name, namespace = '' } = object.metadata
    const worker = this.#workers.get(uid)
    this.#uids.set(`${namespace}/${name}`, uid)
    const before = this.#invalid.get(uid)
    this.#invalid.delete(uid)
    if (object.metadata.deletionTimestamp !== undefined) {
      if (worker) this.#end(uid, worker, 'remove')
      return
    }
    // Most changes are of the status, by this process. They need no reading of the spec.
    if (worker && worker.set.generation === object.metadata.generation) {
      this.#noteStatus(uid, object)
      return
    }
    const parsed = this.#options.parseSet(object)
    if (!parsed.ok) {
      const problems = parsed.problems.map(({ path, sentence }) => `${path}: ${sentence}`)
      const invalid = { object, problems, last: worker?.set ?? before?.last }
      this.#invalid.set(uid, invalid)
      // Our own report of the same spec comes back as an event.
      const isReported = before?.object.metadata.generation === object.metadata.generation
      if (this.#leadership && !isReported) this.#report(invalid, this.#leadership)
      // The set still exists, so its records at the forge stay: jobs may be queued there.
      if (worker) this.#end(uid, worker, 'pause')
      return
    }
    if (!worker) this.#begin(uid, new SetWorker(this.#options, this.#journal, parsed.set, object['status']))
    else {
      worker.changed(parsed.set)
      this.#noteStatus(uid, object)
    }
  }

  #noteStatus(uid: string, object: KubeObject): void {
    if (!this.#leads()) this.#rewritten.set(uid, object)
  }

  removed(object: KubeObject): void {
    const { uid = '', name, namespace = '' } = object.metadata
    this.#uids.delete(`${namespace}/${name}`)
    const invalid = this.#invalid.get(uid)
    if (invalid) this.#endInvalid(uid, invalid)
    const worker = this.#workers.get(uid)
    if (worker) this.#end(uid, worker, 'remove')
  }

  progressed(): void {}

  stale(): void {}

  #report({ object, problems }: InvalidSet, leadership: Leadership): void {
    const { namespace = '', name } = object.metadata
    this.#journal.write({ kind: 'set-invalid', namespace, set: name, problems })
    void reportInvalid(this.#options, leadership, object, problems)
  }

  #begin(uid: string, worker: SetWorker): void {
    this.#workers.set(uid, worker)
    const { namespace, name } = worker.set
    this.#journal.write({ kind: 'set-added', namespace, set: name })
    this.#pods.attach(worker)
    if (this.#leadership) worker.lead(this.#leadership)
  }

  #leads(): boolean {
    return this.#leadership !== undefined && !this.#leadership.signal.aborted
  }

  /** Replaces a worker that did not act by one that knows the latest stored status. */
  #renew(object: KubeObject): void {
    const { uid = '' } = object.metadata
    const parsed = this.#options.parseSet(object)
    const before = this.#workers.get(uid)
    if (!parsed.ok || !before) return
    void before.stop('pause')
    const worker = new SetWorker(this.#options, this.#journal, parsed.set, object['status'])
    this.#workers.set(uid, worker)
    this.#pods.attach(worker)
  }

  #end(uid: string, worker: SetWorker, how: 'pause' | 'remove'): void {
    const rewritten = this.#rewritten.get(uid)
    this.#workers.delete(uid)
    this.#rewritten.delete(uid)
    this.#pods.detach(uid)
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
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  #endInvalid(uid: string, { object, last }: InvalidSet): void {
    this.#invalid.delete(uid)
    if (last) this.#remove({ set: last, access: undefined, state: storedForgeState(object['status']) }, this.#leads())
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
