// The pods that runners make for their jobs: each gets its runner's pod as its owner, is removed if it outlives the runner, and its failure is reported.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { ObjectName, Resource } from '@dayfly/kubernetes/types'
import { failureOfJobPod, type JobPodStep, jobPodStep } from '@dayfly/runner-set/core/job-pod'
import { labels } from '@dayfly/runner-set/core/pod'
import type { Entry } from '@dayfly/runner-set/model/event'
import type { LastingFailure } from '@dayfly/runner-set/model/failure'
import type { JobPod, JobRunner } from '@dayfly/runner-set/model/job-pod'
import { setNameIn } from '@dayfly/runner-set/model/runner-names'
import { messageOf } from './act/unsuccessful.ts'
import type { Journal } from './journal.ts'
import { pods, secrets } from './resources.ts'

export type JobPodsDeps = {
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  /** Returns what is known of a runner; undefined if Dayfly makes no such names. */
  readonly find: (namespace: string, runner: string) => JobRunner | undefined
}

/** The right to act. */
type Term = { readonly kubernetes: Kubernetes; readonly signal: AbortSignal }

type Held = {
  pod: JobPod
  /** Whether a step is under way. */
  isBusy: boolean
  /** Failed steps in a row. */
  failures: number
  retryAt: Instant | undefined
  /** The step that was carried out, and that the watch has not shown yet. */
  done: JobPodStep
  reported: LastingFailure | undefined
  timer: Timer | undefined
}

/** A watch may be late: look again after this time, in milliseconds. */
const listMs = 5_000
const backoff = { baseMs: 1_000, capMs: 300_000 }

export class JobPods implements ReflectorSink<JobPod | undefined> {
  readonly #deps: JobPodsDeps
  /** The key is the namespace and the name. */
  readonly #held = new Map<string, Held>()
  /** The namespace and the name of a runner lead to the reason why the pod of its job ended. It is kept until the runner is gone. */
  readonly #ended = new Map<string, LastingFailure>()
  #term: Term | undefined

  constructor(deps: JobPodsDeps) {
    this.#deps = deps
    deps.journal.subscribe((entry) => this.#follow(entry))
  }

  /** From now on, until the signal is aborted, this process acts. Before, it only watches. */
  lead(term: Term): void {
    this.#term = term
    for (const held of this.#held.values()) this.#look(held)
  }

  stop(): void {
    for (const held of this.#held.values()) held.timer?.cancel()
  }

  replaced(items: readonly (JobPod | undefined)[]): void {
    const present = new Set(items.flatMap((pod) => (pod ? [keyOf(pod)] : [])))
    for (const [key, held] of this.#held) if (!present.has(key)) this.#forget(key, held)
    for (const item of items) this.changed(item)
  }

  changed(pod: JobPod | undefined): void {
    if (!pod) return
    const before = this.#held.get(keyOf(pod))
    const isSame = before?.pod.uid === pod.uid
    if (before && !isSame) this.#forget(keyOf(pod), before)
    const fresh: Held = {
      pod,
      isBusy: false,
      failures: 0,
      retryAt: undefined,
      done: 'none',
      reported: undefined,
      timer: undefined,
    }
    const held = isSame && before ? before : fresh
    held.pod = pod
    this.#held.set(keyOf(pod), held)
    const { namespace, runner, endFailure } = pod
    if (endFailure) this.#ended.set(`${namespace}/${runner}`, endFailure)
    this.#look(held)
  }

  removed(pod: JobPod | undefined): void {
    const held = pod && this.#held.get(keyOf(pod))
    if (held && held.pod.uid === pod.uid) this.#forget(keyOf(pod), held)
  }

  progressed(): void {}

  stale(): void {}

  #forget(key: string, held: Held): void {
    held.timer?.cancel()
    this.#held.delete(key)
  }

  /** The end of a runner may leave pods, and the end of its job may be in doubt. */
  #follow({ event }: Entry): void {
    if (event.kind === 'runner-ended') this.#lookAt(event.namespace, event.runner)
    if (event.kind === 'runner-gone') {
      this.#lookAt(event.namespace, event.runner)
      this.#ended.delete(`${event.namespace}/${event.runner}`)
    }
    if (event.kind !== 'job-finished' || event.result !== 'succeeded' || !this.#leading()) return
    const { namespace, set, runner, job } = event
    const failure = this.#ended.get(`${namespace}/${runner}`)
    if (failure) this.#deps.journal.write({ kind: 'job-doubtful', namespace, set, runner, job, failure })
  }

  #lookAt(namespace: string, runner: string): void {
    for (const held of this.#held.values()) {
      if (held.pod.namespace === namespace && held.pod.runner === runner) this.#look(held)
    }
  }

  #leading(): Term | undefined {
    return this.#term?.signal.aborted ? undefined : this.#term
  }

  #look(held: Held): void {
    const term = this.#leading()
    const runner = this.#deps.find(held.pod.namespace, held.pod.runner)
    if (!term || !runner) return
    const now = this.#deps.clock.now()
    const shownAt = this.#showFailure(held, runner, now)
    const step = jobPodStep(held.pod, runner)
    const waits = now < (held.retryAt ?? 0) && (held.failures > 0 || step === held.done)
    if (step !== 'none' && !held.isBusy && !waits) void this.#carryOut(term, held, step, runner)
    const listedAt = runner.pod || runner.isGone ? undefined : now + listMs
    this.#lookAgain(held, [held.retryAt, shownAt, listedAt])
  }

  /** Returns when a failure is due that is not shown yet. */
  #showFailure(held: Held, { set }: JobRunner, now: Instant): Instant | undefined {
    const found = set && failureOfJobPod(held.pod, set.startMaxMs)
    if (!set || !found || held.reported?.reason === found.failure.reason) return undefined
    if (now < found.dueAt) return found.dueAt
    held.reported = found.failure
    const { namespace, runner, name: pod } = held.pod
    this.#deps.journal.write({ kind: 'job-pod-failed', namespace, set: set.name, runner, pod, failure: found.failure })
    return undefined
  }

  #lookAgain(held: Held, times: readonly (Instant | undefined)[]): void {
    const now = this.#deps.clock.now()
    const due = times.filter((at) => at !== undefined && at > now) as readonly Instant[]
    held.timer?.cancel()
    held.timer = due.length === 0 ? undefined : this.#deps.clock.after(Math.min(...due) - now, () => this.#look(held))
  }

  async #carryOut(term: Term, held: Held, step: Exclude<JobPodStep, 'none'>, runner: JobRunner): Promise<void> {
    held.isBusy = true
    try {
      await (step === 'adopt' ? adopt(term, held.pod, runner) : remove(term, held.pod, runner))
      held.failures = 0
      held.done = step
      // The watch shows that it is done. Until then an answer proves nothing: a 404 may come from a proxy.
      held.retryAt = this.#deps.clock.now() + listMs
    } catch (error) {
      const set = runner.set?.name ?? setNameIn(held.pod.runner) ?? ''
      if (!term.signal.aborted) this.#failed(held, step, set, error)
    }
    held.isBusy = false
    if (this.#held.get(keyOf(held.pod)) === held) this.#look(held)
  }

  #failed(held: Held, step: 'adopt' | 'remove', set: string, error: unknown): void {
    const { clock, random, journal } = this.#deps
    held.failures++
    held.retryAt = clock.now() + backoffMs(backoff, held.failures, random)
    if (held.failures > 1) return
    const action = `${step} the pod ${held.pod.name} of a job`
    journal.write({ kind: 'write-failed', namespace: held.pod.namespace, set, action, message: messageOf(error) })
  }
}

/** The garbage collector removes what the runner's pod owns as soon as that pod is gone. */
async function adopt(term: Term, job: JobPod, { pod }: JobRunner): Promise<void> {
  if (!pod) return
  const { kubernetes, signal } = term
  const { namespace, name, uid, runner } = job
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: runner, uid: pod.uid, blockOwnerDeletion: false }]
  const options = { signal, metadataOnly: true }
  for (const secret of job.secrets) {
    const owned = { type: 'merge', body: { metadata: { ownerReferences } } } as const
    const at = { namespace, name: secret }
    const found = await kubernetes.patch(secrets, at, owned, options).catch(unlessAbsent)
    // No watch shows the Secret, so a false answer is asked about now.
    if (!found && (await metadataOf(term, secrets, at))) throw new Error(`the Secret ${secret} is there, after a 404`)
  }
  const owned = { type: 'merge', body: { metadata: { uid, ownerReferences } } } as const
  await kubernetes.patch(pods, { namespace, name }, owned, options).catch(unlessAbsent)
}

/** Removes nothing if the runner exists: the watch of the runners is late. */
async function remove(term: Term, job: JobPod, { pod }: JobRunner): Promise<void> {
  const { namespace, name, uid, runner } = job
  // Another client may have made a pod of that name.
  const present = pod ? undefined : await metadataOf(term, pods, { namespace, name: runner })
  if (present?.labels?.[labels.set] !== undefined) return
  const { kubernetes, signal } = term
  const options = { signal, metadataOnly: true }
  for (const secret of job.secrets) await kubernetes.delete(secrets, { namespace, name: secret }, options)
  await kubernetes.delete(pods, { namespace, name }, { ...options, preconditions: { uid } })
}

/** Resolves with undefined if there is no such object. */
async function metadataOf({ kubernetes, signal }: Term, resource: Resource, at: ObjectName) {
  const found = await kubernetes.get(resource, at, { signal, metadataOnly: true }).catch(unlessAbsent)
  return found?.metadata
}

function unlessAbsent(error: unknown): void {
  if (!(error instanceof KubernetesError) || error.kind !== 'not-found') throw error
}

function keyOf({ namespace, name }: JobPod): string {
  return `${namespace}/${name}`
}
