// How many registrations the forge allows: half of the runners in each ten seconds. GitHub has such a limit for an organization.
import type { SetWorld } from '@dayfly/runner-set/model/world'
import type { EventQueue } from './event-queue.ts'

const windowMs = 10_000
const fewest = 20

export class Pacing {
  readonly #queue: EventQueue
  readonly #most: number
  readonly memory = { window: 0, before: 0 }

  constructor(queue: EventQueue, max: number) {
    this.#queue = queue
    this.#most = Math.max(fewest, Math.ceil(max / 2))
  }

  /** @param begun the runners that were ever started */
  allowance(begun: number): SetWorld['allowance'] {
    const present = Math.floor(this.#queue.now() / windowMs)
    if (present !== this.memory.window) {
      this.memory.window = present
      this.memory.before = begun
    }
    const now = Math.max(0, this.#most - (begun - this.memory.before))
    return { now, nextAt: now === 0 ? (present + 1) * windowMs : undefined }
  }
}
