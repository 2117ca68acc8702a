// Carries out a decision: each action marks in the cache what it has begun before anything waits, runs bounded beside the others, and is idempotent. The next tick is the retry.

import { runnerPrefix } from '../../core/pod.ts'
import { unreachable } from '../../lib/assert.ts'
import { randomName } from '../../lib/ids.ts'
import { type Limit, limit } from '../../lib/queue.ts'
import type { Action, Decision } from '../../model/action.ts'
import type { Limits } from '../../model/limits.ts'
import { askRegistrations } from './ask-registrations.ts'
import { checkTemplate } from './check-template.ts'
import type { ActContext } from './context.ts'
import { dropRegistration } from './drop-registration.ts'
import { endRunner } from './end-runner.ts'
import { explainRunner } from './explain-runner.ts'
import { report } from './report.ts'
import { startRunner } from './start-runner.ts'

/** Lives begun or ended at the same time, for one set. */
const livesAtOnce = 32

export class Actor {
  readonly #context: ActContext
  readonly #limits: Limits
  readonly #wake: () => void
  readonly #lives: Limit = limit(livesAtOnce)
  readonly #running = new Set<Promise<void>>()

  /** @param wake called whenever an action is over, so that the next tick sees its outcome. */
  constructor(context: ActContext, limits: Limits, wake: () => void) {
    this.#context = context
    this.#limits = limits
    this.#wake = wake
  }

  begin(decision: Decision): void {
    for (const action of decision.actions) this.#begin(action)
  }

  /** Resolves when everything under way is over. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #begin(action: Action): void {
    const context = this.#context
    const { cache } = context
    switch (action.kind) {
      case 'start-runners':
        this.#startRunners(action.count)
        break
      case 'end-runner':
        cache.table.begin(action.runner.name)
        this.#run(() => this.#lives(() => endRunner(context, action.runner, action.because)))
        break
      case 'explain-runner':
        cache.table.begin(action.runner.name)
        this.#run(() => explainRunner(context, action.runner))
        break
      case 'drop-registration':
        cache.debts.postpone(action.registration.name, context.clock.now() + 10 * this.#limits.dropRetryMs)
        this.#run(() => dropRegistration(context, action.registration, this.#limits.dropRetryMs))
        break
      case 'check-template':
        this.#once('checkTemplate', () => checkTemplate(context, action.hash))
        break
      case 'ask-registrations':
        this.#once('askRegistrations', () => askRegistrations(context))
        break
      case 'report':
        this.#once('report', () => report(context, action.status))
        break
      default:
        unreachable(action)
    }
  }

  #startRunners(count: number): void {
    const { cache, clock, random } = this.#context
    const link = this.#context.link()
    if (!link) return
    const prefix = runnerPrefix(cache.set)
    for (let started = 0; started < count; started++) {
      const name = prefix + randomName(random, 10)
      cache.asked(name, clock.now())
      this.#run(() => this.#lives(() => startRunner(this.#context, link, name)))
    }
  }

  #once(kind: keyof ActContext['cache']['underway'], work: () => Promise<void>): void {
    const { underway } = this.#context.cache
    underway[kind] = true
    this.#run(async () => {
      try {
        await work()
      } finally {
        underway[kind] = false
      }
    })
  }

  #run(work: () => Promise<void>): void {
    const running = work().finally(() => {
      this.#running.delete(running)
      this.#wake()
    })
    this.#running.add(running)
  }
}
