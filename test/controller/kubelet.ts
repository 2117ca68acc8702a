// Plays the kubelet of a stage for whole lives: each runner takes its job, runs it for a while, and ends.
import { confirmDeletions, end, pods, type Stage, secrets, succeeded, takeJob } from './stage.ts'

/** Each job takes that long. */
const jobMs = 30_000

/** Runs the jobs of a set as the kubelet of its cluster would. */
export class Kubelet {
  readonly #stage: Stage
  readonly #set: string
  readonly #endAt = new Map<string, number>()
  /** The runners whose jobs have ended. */
  readonly ended = new Set<string>()
  /** The most pods that lived at once. */
  most = 0

  constructor(stage: Stage, set: string) {
    this.#stage = stage
    this.#set = set
  }

  async work(): Promise<void> {
    const { clock, emulator } = this.#stage
    const living = pods(this.#stage).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    this.most = Math.max(this.most, living.length)
    const ready = new Set(secrets(this.#stage))
    for (const { metadata } of living) {
      const { name } = metadata
      const endAt = this.#endAt.get(name)
      if (!ready.has(name) || !name.startsWith(`${this.#set}-`)) continue
      if (endAt === undefined) {
        this.#endAt.set(name, clock.now() + jobMs)
        await takeJob(this.#stage, name)
      } else if (!this.ended.has(name) && endAt <= clock.now()) {
        this.ended.add(name)
        emulator.control.stub.finish(name, succeeded)
        end(this.#stage, name)
      }
    }
    confirmDeletions(this.#stage)
  }
}
