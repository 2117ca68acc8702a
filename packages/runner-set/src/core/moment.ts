// The arguments and the result of every decision about one runner.
import type { Instant } from '@dayfly/kit/clock'
import type { Action, Mark } from '../model/action.ts'
import type { JournalEvent } from '../model/event.ts'
import type { Limits } from '../model/limits.ts'
import type { SetWorld } from '../model/world.ts'

export type Moment = { readonly world: SetWorld; readonly limits: Limits; readonly now: Instant }

export type LifeDecision = {
  readonly action?: Action
  /** When to look again, if nothing changes before. */
  readonly due?: Instant
  readonly mark?: Mark
  readonly events?: readonly JournalEvent[]
  /** A new list of the forge's registrations would decide more. */
  readonly asksRegistrations?: boolean
}
