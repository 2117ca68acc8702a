// The events of a forge that arrive late.
import type { Instant } from '@dayfly/kit/clock'

/** The last late event: how long after it happened it arrived, and when. */
export type LateEvents = { readonly ms: number; readonly at: Instant }
