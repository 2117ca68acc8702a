// Keeps a RunnerSet for each size of a set, while this process leads, and reports their sum at the set.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { isJsonObject } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { earliest } from '@dayfly/runner-set/core/earliest'
import { afterFailure } from '@dayfly/runner-set/core/retry'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { RetryState } from '@dayfly/runner-set/model/world'
import { clusterUnsuccessful } from '../act/unsuccessful.ts'
import type { Journal } from '../journal.ts'
import { Loop } from '../loop.ts'
import type { ParsedSet } from '../options.ts'
import { writeStatus } from '../write-status.ts'
import { applyStep } from './apply.ts'
import { type ParentStatus, parentStatus, withTimes } from './parent-status.ts'
import { isSizeOf, planSizes, type SizeStep } from './plan.ts'

/** Two looks at the sizes are at least this far apart, in milliseconds. So a status is written at most that often. */
const spacingMs = 1_000

type Options = {
  readonly clock: Clock
  readonly limits: Limits
  readonly parseSet: (object: KubeObject) => ParsedSet
}

type Term = { readonly kubernetes: Kubernetes; readonly signal: AbortSignal }

/** The knowledge of this process about one set with sizes, beside its object. */
type Memory = {
  underway: boolean
  retry: RetryState | undefined
  /** The failure of the last attempt. */
  failure: { readonly set: string; readonly failure: Failure } | undefined
  written: string | undefined
}

export class SizeKeeper implements ReflectorSink<KubeObject> {
  readonly #options: Options
  readonly #journal: Journal
  readonly #loop: Loop
  /** Every RunnerSet, by namespace and name. */
  readonly #objects = new Map<string, KubeObject>()
  /** The key is the UID of the set with the sizes. */
  readonly #memories = new Map<string, Memory>()
  #term: Term | undefined

  constructor(options: Options, journal: Journal) {
    this.#options = options
    this.#journal = journal
    this.#loop = new Loop({ clock: options.clock, spacingMs, tick: (now) => this.#tick(now) })
  }

  lead(term: Term): void {
    this.#term = term
    this.#memories.clear()
    this.#loop.wake()
  }

  stop(): void {
    this.#loop.stop()
  }

  replaced(items: readonly KubeObject[]): void {
    this.#objects.clear()
    for (const item of items) this.#objects.set(keyOf(item), item)
    this.#loop.wake()
  }

  changed(object: KubeObject): void {
    this.#objects.set(keyOf(object), object)
    this.#loop.wake()
  }

  removed(object: KubeObject): void {
    this.#objects.delete(keyOf(object))
    this.#memories.delete(object.metadata.uid ?? '')
    this.#loop.wake()
  }

  progressed(): void {}

  stale(): void {}

  #tick(now: Instant): Instant | undefined {
    const term = this.#term
    if (!term || term.signal.aborted) return undefined
    const waits: (Instant | undefined)[] = []
    for (const object of this.#objects.values()) {
      if (!hasSizes(object) || object.metadata.deletionTimestamp !== undefined) continue
      const memory = this.#memoryOf(object)
      if (memory.underway) continue
      if (memory.retry && now < memory.retry.retryAt) waits.push(memory.retry.retryAt)
      else this.#look(term, object, memory)
    }
    return earliest(waits)
  }

  #look(term: Term, object: KubeObject, memory: Memory): void {
    const parsed = this.#options.parseSet(object)
    // A set that cannot be read keeps the sizes that it has.
    if (!parsed.ok) return
    const { set } = parsed
    const others = [...this.#objects.values()].filter(
      ({ metadata }) => metadata.namespace === set.namespace && metadata.uid !== set.uid,
    )
    const spec = isJsonObject(object['spec']) ? object['spec'] : {}
    const plan = planSizes(set, spec, others, this.#options.parseSet)
    const { steps } = plan
    const failures = [...plan.failures, ...(memory.failure && steps.length > 0 ? [memory.failure] : [])]
    const children = others.filter((other) => isSizeOf(other, set))
    const status = parentStatus({ parent: object, set }, children, { failures, isDone: steps.length === 0 })
    if (steps.length === 0 && memory.written === JSON.stringify(status)) return
    memory.underway = true
    void this.#perform(term, { object, set, memory }, steps, status).finally(() => {
      memory.underway = false
      this.#loop.wake()
    })
  }

  async #perform(term: Term, of: Look, steps: readonly SizeStep[], status: ParentStatus): Promise<void> {
    const { kubernetes, signal } = term
    const { set, memory } = of
    let at = set.name
    try {
      for (const step of steps) {
        at = nameOf(step)
        const object = await applyStep(kubernetes, step, signal)
        if (object) this.#keep(object, step)
        this.#journal.write({ kind: 'size-applied', namespace: set.namespace, set: set.name, size: at, did: step.is })
        memory.failure = undefined
      }
      at = set.name
      await this.#report(term, of, status)
      memory.retry = undefined
    } catch (error) {
      if (!signal.aborted) await this.#failed(term, of, at, error)
    }
  }

  /**
   * Keeps the answer until the watch shows it. The watch may have shown a later state meanwhile: a patch of the earlier one would be refused
   * forever. A new object is left to the watch, which may have shown its end already.
   */
  #keep(object: KubeObject, step: SizeStep): void {
    if (step.is === 'create' || this.#objects.get(keyOf(object)) !== step.object) return
    this.#objects.set(keyOf(object), object)
  }

  async #failed(term: Term, of: Look, name: string, error: unknown): Promise<void> {
    const { set, memory } = of
    const result = clusterUnsuccessful(error, term.signal)
    if (result.is === 'aborted') return
    const { clock, limits } = this.#options
    const { failure, retryAt } = result
    const before = memory.retry?.failures ?? 0
    memory.retry = afterFailure({ at: clock.now(), before, retryAt, key: `${set.uid} ${name}` }, limits)
    // Another writer came first. The watch shows what it wrote.
    if (error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'already-exists')) return
    const isNew = memory.failure?.failure.message !== failure.message
    memory.failure = { set: name, failure }
    if (isNew)
      this.#journal.write({ kind: 'size-failed', namespace: set.namespace, set: set.name, size: name, failure })
    const children = [...this.#objects.values()].filter((other) => isSizeOf(other, set))
    const parent = { parent: of.object, set }
    const status = parentStatus(parent, children, { failures: [memory.failure], isDone: false })
    await this.#report(term, of, status).catch(() => {})
  }

  async #report({ kubernetes, signal }: Term, { object, set, memory }: Look, status: ParentStatus): Promise<void> {
    const text = JSON.stringify(status)
    if (memory.written === text) return
    await writeStatus(kubernetes, set, withTimes(status, object['status'], this.#options.clock.now()), signal)
    memory.written = text
  }

  #memoryOf({ metadata: { uid = '' } }: KubeObject): Memory {
    const known = this.#memories.get(uid)
    if (known) return known
    const fresh = { underway: false, retry: undefined, failure: undefined, written: undefined }
    this.#memories.set(uid, fresh)
    return fresh
  }
}

type Look = { readonly object: KubeObject; readonly set: RunnerSet; readonly memory: Memory }

function hasSizes(object: KubeObject): boolean {
  return isJsonObject(object['spec']) && Array.isArray(object['spec']['sizes'])
}

function nameOf(step: SizeStep): string {
  return step.is === 'create' ? step.document.metadata.name : step.object.metadata.name
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`
}
