// Measures what jobs use while this process leads, and stores a digest in the status of each set. Without the metrics API, only times are known.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { fieldsAt, listAt, textAt, timeAt } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { createPodMetrics, type PodMetrics } from '@dayfly/kubernetes/pod-metrics'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { earliest } from '@dayfly/runner-set/core/earliest'
import { labels } from '@dayfly/runner-set/core/pod'
import type { Entry } from '@dayfly/runner-set/model/event'
import type { Journal } from '../journal.ts'
import { Loop } from '../loop.ts'
import type { SetInsight } from '../set-reading.ts'
import { writeStatus } from '../write-status.ts'
import { type Digest, digestStatus, readDigest, withJob } from './digest.ts'
import { measuredOf } from './measured.ts'
import { Sampler } from './sampler.ts'

export type UsageDeps = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly journal: Journal
  readonly insights: () => readonly SetInsight[]
}

type Term = { readonly kubernetes: Kubernetes; readonly signal: AbortSignal }

/** The parts of a set's object that the next leader needs. */
type Stored = { readonly uid: string; readonly usage: unknown; readonly jobs: readonly unknown[] }

/** The digest of a set that this leader has changed. */
type Kept = {
  readonly uid: string
  digest: Digest
  isStored: boolean
  /** The next write is not earlier. */
  writeAt: Instant
}

const spacingMs = 1_000
const askMs = 30_000
const answerMs = 10_000
/** A cluster without the metrics API, or without the right to it, may get it later. */
const absentMs = 10 * 60_000
/** Jobs often end together: the first of them waits so long for the others. */
const burstMs = 60_000
const writeMs = 5 * 60_000

export class UsageKeeper implements ReflectorSink<KubeObject> {
  readonly #deps: UsageDeps
  readonly #metrics: PodMetrics
  readonly #loop: Loop
  readonly #sampler = new Sampler()
  /** The keys of both are the namespace and the name of a set. */
  readonly #objects = new Map<string, Stored>()
  readonly #kept = new Map<string, Kept>()
  /** When the metrics of a namespace may be asked for again. */
  readonly #askAt = new Map<string, Instant>()
  #term: Term | undefined

  constructor(deps: UsageDeps) {
    this.#deps = deps
    this.#metrics = createPodMetrics(deps)
    this.#loop = new Loop({ clock: deps.clock, spacingMs, tick: (now) => this.#tick(now) })
    deps.journal.subscribe((entry) => this.#follow(entry))
  }

  /** The jobs that run already are known from the status. */
  lead(term: Term): void {
    this.#term = term
    this.#sampler.clear()
    this.#kept.clear()
    for (const [key, stored] of this.#objects) this.#resume(key, stored)
    this.#loop.wake()
  }

  /** Stores for the next leader what is not stored yet, and ends. */
  async handOver(): Promise<void> {
    this.#loop.stop()
    const term = this.#leading()
    this.#term = undefined
    if (!term) return
    const waiting = [...this.#kept].filter(([, kept]) => !kept.isStored)
    await Promise.all(waiting.map(([key, kept]) => this.#write(term, key, kept)))
  }

  replaced(items: readonly KubeObject[]): void {
    const present = new Set(items.map(keyOf))
    for (const key of this.#objects.keys()) if (!present.has(key)) this.#forget(key)
    for (const item of items) this.changed(item)
  }

  changed(object: KubeObject): void {
    const key = keyOf(object)
    const { uid = '' } = object.metadata
    const isNew = this.#objects.get(key)?.uid !== uid
    if (isNew) this.#forget(key)
    const stored = { uid, usage: fieldsAt(object, 'status')?.['usage'], jobs: listAt(object, 'status', 'jobs') }
    this.#objects.set(key, stored)
    if (isNew && this.#leading()) this.#resume(key, stored)
  }

  removed(object: KubeObject): void {
    this.#forget(keyOf(object))
  }

  progressed(): void {}

  stale(): void {}

  #forget(key: string): void {
    this.#objects.delete(key)
    this.#kept.delete(key)
  }

  #leading(): Term | undefined {
    return this.#term?.signal.aborted ? undefined : this.#term
  }

  #resume(key: string, { jobs }: Stored): void {
    const [namespace] = key.split('/')
    for (const job of jobs) {
      const [runner, at] = [textAt(job, 'runner'), timeAt(job, 'startedAt')]
      const hasEnded = textAt(job, 'result') !== undefined
      if (runner !== undefined && at !== undefined && !hasEnded) this.#sampler.began(`${namespace}/${runner}`, at)
    }
  }

  /** A job ends with its runner or with the report of the forge. The first of them is closest to its end. */
  #follow({ at, event }: Entry): void {
    if (!this.#leading()) return
    if (event.kind === 'job-started') {
      this.#sampler.began(`${event.namespace}/${event.runner}`, at)
      this.#loop.wake()
    }
    // The end of a job whose result is unknown was noticed late.
    const isEnd = event.kind === 'runner-ended' || (event.kind === 'job-finished' && event.result !== 'unknown')
    if (isEnd) this.#ended(event, at)
    else if (event.kind === 'job-finished' || event.kind === 'runner-gone') {
      this.#sampler.forget(`${event.namespace}/${event.runner}`)
    }
  }

  #ended({ namespace, set, runner }: { namespace: string; set: string; runner: string }, at: Instant): void {
    const usage = this.#sampler.ended(`${namespace}/${runner}`, at)
    const key = `${namespace}/${set}`
    const object = this.#objects.get(key)
    if (!usage || !object) return
    const before = this.#kept.get(key)
    const digest = withJob(before?.digest ?? readDigest(object.usage), usage)
    const writeAt = before && !before.isStored ? before.writeAt : Math.max(before?.writeAt ?? 0, at + burstMs)
    this.#kept.set(key, { uid: object.uid, digest, isStored: false, writeAt })
    this.#loop.wake()
  }

  #tick(now: Instant): Instant | undefined {
    const term = this.#leading()
    if (!term) return undefined
    const busy = this.#deps.insights().filter(({ counts }) => counts !== undefined && counts.busy > 0)
    for (const namespace of new Set(busy.map(({ set }) => set.namespace))) {
      if (now >= (this.#askAt.get(namespace) ?? now)) void this.#ask(term, namespace, now)
    }
    const waiting = [...this.#kept].filter(([, kept]) => !kept.isStored)
    for (const [key, kept] of waiting) if (now >= kept.writeAt) void this.#write(term, key, kept)
    const later = waiting.map(([, kept]) => kept.writeAt)
    return earliest([now + askMs, ...later.filter((at) => at > now)])
  }

  async #ask({ signal: until }: Term, namespace: string, now: Instant): Promise<void> {
    const { clock } = this.#deps
    this.#askAt.set(namespace, now + askMs)
    const late = () => new KubernetesError('unavailable', `the metrics API has not answered within ${answerMs} ms`)
    try {
      const items = await withDeadline({ clock, ms: answerMs, until, late }, (signal) =>
        this.#metrics.list({ namespace, labelSelector: labels.set, signal }),
      )
      for (const item of items) {
        const measured = measuredOf(item)
        if (measured) this.#sampler.measured(`${namespace}/${measured.runner}`, measured, now)
      }
    } catch (error) {
      if (until.aborted) return
      if (!(error instanceof KubernetesError)) throw error
      if (isAbsent(error)) this.#askAt.set(namespace, now + absentMs)
    }
  }

  async #write({ kubernetes, signal }: Term, key: string, kept: Kept): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    kept.isStored = true
    kept.writeAt = this.#deps.clock.now() + writeMs
    try {
      await writeStatus(kubernetes, { namespace, name, uid: kept.uid }, { usage: digestStatus(kept.digest) }, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof KubernetesError)) throw error
      kept.isStored = false
    }
  }
}

/** A server without the metrics API answers 404, and 503 if the API is registered and its server does not run. */
function isAbsent({ kind, status }: KubernetesError): boolean {
  return kind === 'not-found' || kind === 'forbidden' || status === 503
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`
}
