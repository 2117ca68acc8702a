// A cluster whose test plays kubelet, taint manager and garbage collector: it breaks runners in the middle of their jobs.

import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import type { TestApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import type { JobEvent } from '@dayfly/forge-emulators/github/emulation'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { JobReport } from '@dayfly/forge-emulators/job'
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import {
  confirmDeletions,
  end,
  namespace,
  openStage,
  origin,
  pods,
  run,
  type Stage,
  schedule,
  secrets,
  setStatus,
  succeeded,
} from './stage.ts'

/** `evicted`: the runner still reports. `evicted-late`: it does, too, but a first status shows its end without the reason. `evicted-hard`: it is killed at once. */
export type Fate =
  | 'ok'
  | 'evicted'
  | 'evicted-late'
  | 'evicted-hard'
  | 'node-lost'
  | 'out-of-memory'
  | 'fails'
  | 'fails-then-evicted'

export type BrokenOptions = {
  readonly forgeMs: number
  readonly apiMs: number
  readonly max: number
  readonly rerun?: object
  /** The set has no rerun. */
  readonly off?: true
  readonly knobs?: KnobChange
  readonly app?: TestApp
  readonly template?: object
}

const report = (conclusion: JobReport['conclusion']): JobReport => ({
  conclusion,
  outputs: {},
  steps: [],
  note: undefined,
})

export async function brokenWorld({ forgeMs, apiMs, max, rerun = {}, knobs, app, template = {}, off }: BrokenOptions) {
  const killed = new Set<string>()
  const github = {
    url: `${origin}/acme`,
    credentials: { secret: 'github' },
    labels: ['linux'],
    ...(off ? {} : { rerun }),
  }
  const spec = { github, scale: { max }, keepFailed: '0s', template }
  const stage = await openStage({ forgeMs, apiMs, killed, spec, ...(app ? { app } : {}) })
  const { clock, emulator } = stage
  if (knobs) emulator.control.knobs(knobs)
  const kubelet = new Kubelet(stage)
  const repeated: JobEvent[] = []
  const endedAt = new Map<string, Instant>()
  let finished = 0
  emulator.control.onJob((event) => {
    if (event.kind === 'queued' && event.repeats !== undefined) repeated.push(event)
    if (event.kind === 'started' && event.runner) kubelet.started(event.runner, event)
    if (event.kind === 'finished') finished++
  })
  kubelet.onEnd = (job) => endedAt.set(job, clock.now())
  const step = async () => {
    kubelet.work()
    await clock.advance(100)
  }
  const until = async (isOver: () => boolean) => {
    const last = clock.now() + 1_800_000
    while (!isOver() && clock.now() < last) await step()
  }
  return {
    stage,
    repeated,
    until,
    finished: () => finished,
    /** From the end of the pod to the new entry in the queue, in milliseconds. */
    waits: () => repeated.map(({ repeats = '', at }) => at - (endedAt.get(repeats) ?? Number.NaN)),
    queue: (fates: readonly (Fate | undefined)[], runId?: number) => {
      const all = fates.map((fate = 'ok') => fate)
      const message = scriptJob('test', [])
      const queued = emulator.control.queueJobs(
        all.map((fate) => ({
          labels: ['linux'],
          name: fate,
          owner: 'acme',
          repository: 'app',
          message,
          ...(runId === undefined ? {} : { runId }),
        })),
      )
      return queued.map((job, index) => ({ ...job, fate: all[index] ?? 'ok' }))
    },
    /** Nothing that the leader sends arrives any more. Another process takes over. */
    killLeader: async () => {
      killed.add('controller-1')
      stage.controller = stage.start('controller-2')
      await step()
    },
    settle: async (ms = 120_000) => {
      const last = clock.now() + ms
      while (clock.now() < last) await step()
    },
    pods: () => pods(stage),
  }
}

type Running = { readonly id: string; readonly fate: Fate; readonly overAt: Instant }

/** Plays every pod of the stage. A job that runs again is well. */
class Kubelet {
  readonly #stage: Stage
  readonly #seen = new Set<string>()
  readonly #running = new Map<string, Running>()
  onEnd: (job: string) => void = () => {}

  constructor(stage: Stage) {
    this.#stage = stage
  }

  started(runner: string, { id, name, repeats }: JobEvent): void {
    const fate = repeats === undefined ? (name as Fate) : 'ok'
    this.#running.set(runner, { id, fate, overAt: this.#stage.clock.now() + 15_000 })
  }

  work(): void {
    const { stub } = this.#stage.emulator.control
    const ready = new Set(secrets(this.#stage))
    for (const { metadata } of pods(this.#stage)) {
      const { name } = metadata
      if (!ready.has(name) || metadata.deletionTimestamp !== undefined) continue
      const job = this.#running.get(name)
      if (!this.#seen.has(name)) {
        this.#seen.add(name)
        schedule(this.#stage, name)
        run(this.#stage, name)
        stub.online(name)
      } else if (!job) stub.start(name)
      else if (job.overAt <= this.#stage.clock.now()) this.#finish(name, job)
    }
    confirmDeletions(this.#stage)
  }

  #finish(name: string, { id, fate }: Running): void {
    const { stub } = this.#stage.emulator.control
    this.#running.delete(name)
    this.onEnd(id)
    switch (fate) {
      case 'ok':
        stub.finish(name, succeeded)
        end(this.#stage, name)
        break
      case 'fails':
        stub.finish(name, report('failure'))
        end(this.#stage, name)
        break
      case 'fails-then-evicted':
        stub.finish(name, report('failure'))
        this.#evict(name, this.#killed(143))
        break
      case 'evicted':
        stub.finish(name, report('cancelled'))
        this.#evict(name, this.#killed(143))
        break
      case 'evicted-late':
        stub.finish(name, report('cancelled'))
        this.#evictLate(name)
        break
      case 'evicted-hard':
        stub.vanish(name)
        this.#evict(name, this.#killed(137))
        break
      case 'out-of-memory':
        stub.vanish(name)
        end(this.#stage, name, 137, 'OOMKilled')
        break
      case 'node-lost':
        stub.vanish(name)
        this.#loseNode(name)
    }
  }

  #evict(name: string, container: object): void {
    const message = 'The node was low on resource: memory.'
    setStatus(this.#stage, name, { phase: 'Failed', reason: 'Evicted', message, containerStatuses: [container] })
  }

  /** The kubelet holds phase and reason back while a container may run. */
  #evictLate(name: string): void {
    const container = this.#killed(143)
    setStatus(this.#stage, name, { phase: 'Running', containerStatuses: [container] })
    this.#stage.clock.after(1_500, () => {
      if (pods(this.#stage).some(({ metadata }) => metadata.name === name)) this.#evict(name, container)
    })
  }

  /** Returns the status of a container that ends now. */
  #killed(exitCode: number): object {
    const at = timestamp(this.#stage.clock.now())
    const terminated = { exitCode, reason: 'Error', startedAt: at, finishedAt: at }
    return { name: 'runner', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } }
  }

  /** The taint manager marks the pod, and the garbage collector removes it with its node. */
  #loseNode(name: string): void {
    const at = timestamp(this.#stage.clock.now())
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      lastTransitionTime: at,
    }
    const pod = this.#stage.registry.get('pods', namespace, name)
    setStatus(this.#stage, name, { ...(pod?.['status'] as object), conditions: [condition] })
    this.#stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
  }
}
