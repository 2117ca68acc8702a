// The cluster of one set: its pods and Secrets, and the kubelet that starts and ends their containers.
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { ContainerEnd, PodFacts } from '@dayfly/runner-set/model/runner'
import type { EventQueue } from './event-queue.ts'
import { type Lives, podIs } from './lives.ts'
import { between } from './random.ts'
import { type Fate, fates } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly random: Random
  readonly lives: Lives
  /** The watch shows the present state of a pod, or that it is gone. */
  readonly seen: (life: number) => void
  readonly gone: (name: string, last: PodFacts) => void
  /** The runner container has started, or ends. */
  readonly onStarted: (life: number) => void
  readonly onKilled: (life: number) => void
}

const watchMs = 10
const graceMs = 30_000

export class Cluster {
  readonly #context: Context
  readonly #steps: Readonly<Record<'seen' | 'gone' | 'place' | 'start' | 'terminate' | 'finish' | 'stuck', number>>
  readonly memory = {
    versions: 0,
    /** Pods that may run a container and are not stuck. */
    living: 0,
  }

  constructor(context: Context) {
    this.#context = context
    const { lives, seen, gone } = context
    this.#steps = {
      seen: lives.step((life) => void (lives.pod[life] !== podIs.absent && seen(life))),
      gone: lives.step((life) => {
        const last = lives.facts[life]
        lives.facts[life] = undefined
        if (last) gone(lives.name[life] ?? '', last)
      }),
      place: lives.step((life) => this.#place(life)),
      start: lives.step((life) => this.#start(life)),
      terminate: lives.step((life) => this.#terminate(life)),
      finish: lives.step((life) => this.#finish(life)),
      stuck: lives.step((life) => void (lives.pod[life] !== podIs.absent && this.#free(life))),
    }
  }

  createPod(life: number, made: Pick<PodFacts, 'registrationId' | 'templateHash'>): PodFacts {
    const { lives, queue, random } = this.#context
    const createdAt = queue.now()
    const version = this.#version()
    const facts: PodFacts = {
      uid: `pod-${version}`,
      resourceVersion: version,
      createdAt,
      progressedAt: createdAt,
      node: undefined,
      startedAt: undefined,
      end: undefined,
      disrupted: undefined,
      finished: false,
      startFailure: undefined,
      helperCrash: undefined,
      nodeSilentSince: undefined,
      deletionDeadline: undefined,
      ...made,
    }
    lives.facts[life] = facts
    lives.pod[life] = podIs.waiting
    lives.isLiving[life] = 1
    lives.touch(life)
    this.memory.living++
    this.#show(life)
    if (this.#fate(life) === 'unschedulable') {
      const startFailure = { reason: 'unschedulable', message: 'no node has room', since: createdAt } as const
      this.change(life, { startFailure })
      lives.after(between(random, 60_000, 480_000), this.#steps.place, life)
    } else lives.after(between(random, 100, 2_000), this.#steps.place, life)
    return facts
  }

  /** Deletes a pod as the API server does. */
  delete(life: number | undefined, uid: string, version: string | undefined): 'deleted' | 'deleting' | 'conflict' {
    const { lives, queue, random } = this.#context
    const facts = life === undefined ? undefined : lives.facts[life]
    if (life === undefined || !facts || lives.pod[life] === podIs.absent) return 'deleted'
    if (facts.uid !== uid || (version !== undefined && facts.resourceVersion !== version)) return 'conflict'
    if (lives.pod[life] === podIs.ended || facts.node === undefined) {
      this.remove(life)
      return 'deleted'
    }
    if (facts.deletionDeadline === undefined) {
      const deletionDeadline = queue.now() + graceMs
      this.change(life, { deletionDeadline })
      this.freesPlaceAfter(graceMs + defaultLimits.terminationMs, life)
      const isSlow = this.#fate(life) === 'ends-slowly'
      lives.after(isSlow ? between(random, 90_000, 400_000) : between(random, 500, 5_000), this.#steps.terminate, life)
    }
    return 'deleting'
  }

  /** The runner container ends. @param finishedMs how long another container of the pod runs on */
  end(life: number, end: Omit<ContainerEnd, 'at'>, over: Partial<PodFacts> = {}, finishedMs = 0): void {
    const { lives, queue } = this.#context
    const facts = lives.facts[life]
    if (!facts || facts.end || lives.pod[life] === podIs.absent) return
    const at = queue.now()
    this.change(life, { ...over, end: { ...end, at }, progressedAt: at, finished: finishedMs === 0 })
    if (finishedMs > 0) lives.after(finishedMs, this.#steps.finish, life)
    else this.#ended(life)
  }

  /** A pod that is still there after this time is stuck, and counts no longer against the maximum. */
  freesPlaceAfter(ms: number, life: number): void {
    this.#context.lives.after(ms, this.#steps.stuck, life)
  }

  /** The pod is gone at once. */
  remove(life: number): void {
    const { lives } = this.#context
    if (lives.pod[life] === podIs.absent) return
    this.#free(life)
    lives.pod[life] = podIs.absent
    lives.secret[life] = 0
    lives.touch(life)
    lives.after(watchMs, this.#steps.gone, life)
  }

  change(life: number, facts: Partial<PodFacts>): void {
    this.#context.lives.change(life, facts, this.#version())
    this.#show(life)
  }

  list(): ReadonlyMap<string, PodFacts> {
    const { lives } = this.#context
    const pods = new Map<string, PodFacts>()
    for (let life = 0; life < lives.used; life++) {
      const facts = lives.facts[life]
      if (facts && lives.pod[life] !== podIs.absent) pods.set(lives.name[life] ?? '', facts)
    }
    return pods
  }

  #place(life: number): void {
    const { lives, queue, random } = this.#context
    if (lives.pod[life] !== podIs.waiting) return
    const fate = this.#fate(life)
    const at = queue.now()
    const since = at + 1_000
    const startFailure =
      fate === 'image-missing' ? ({ reason: 'image-missing', message: 'no such image', since } as const) : undefined
    this.change(life, { node: `node-${life % 7}`, progressedAt: at, startFailure })
    if (fate === 'image-missing') return
    const isSlow = fate === 'slow-start'
    lives.after(isSlow ? between(random, 20_000, 90_000) : between(random, 300, 6_000), this.#steps.start, life)
  }

  /** The kubelet waits for the Secret. */
  #start(life: number): void {
    const { lives, queue, onStarted } = this.#context
    const facts = lives.facts[life]
    if (lives.pod[life] !== podIs.waiting || facts?.deletionDeadline !== undefined) return
    if (!lives.secret[life]) {
      lives.after(1_000, this.#steps.start, life)
      return
    }
    lives.pod[life] = podIs.running
    this.change(life, { startedAt: queue.now() as Instant, progressedAt: queue.now() })
    onStarted(life)
  }

  /** The containers have got their signal, and the kubelet confirms the deletion. */
  #terminate(life: number): void {
    const { lives, onKilled } = this.#context
    if (lives.pod[life] === podIs.absent) return
    if (!lives.facts[life]?.end && lives.pod[life] === podIs.running) {
      onKilled(life)
      this.end(life, { exitCode: 143, reason: 'Error' })
    }
    this.remove(life)
  }

  #finish(life: number): void {
    if (this.#context.lives.pod[life] === podIs.absent) return
    this.change(life, { finished: true })
    this.#ended(life)
  }

  #ended(life: number): void {
    this.#context.lives.pod[life] = podIs.ended
    this.#free(life)
  }

  #free(life: number): void {
    const { lives } = this.#context
    if (!lives.isLiving[life]) return
    lives.isLiving[life] = 0
    this.memory.living--
  }

  #show(life: number): void {
    this.#context.lives.after(watchMs, this.#steps.seen, life)
  }

  #fate(life: number): Fate {
    return fates[this.#context.lives.fate[life] ?? 0] ?? 'usual'
  }

  #version(): string {
    return String(++this.memory.versions)
  }
}
