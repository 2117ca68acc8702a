// Everything that changes the state of a set: one closed union, folded by the core.
import type { Instant } from '@dayfly/kit/clock'
import type { Decision } from './action.ts'
import type { Failure } from './failure.ts'
import type { ForgeEvent } from './forge-event.ts'
import type { Outcome } from './outcome.ts'
import type { Quotas } from './quota.ts'
import type { PodFacts } from './runner.ts'
import type { RunnerSet } from './runner-set.ts'

/** One input. The fold receives the time of its arrival beside it. */
export type Input =
  /** The watch reports a pod. */
  | { readonly kind: 'pod-seen'; readonly name: string; readonly pod: PodFacts }
  /** The watch reports the deletion of a pod, with its last state. */
  | { readonly kind: 'pod-gone'; readonly name: string; readonly last: PodFacts }
  /** A complete list of the set's pods. */
  | { readonly kind: 'pods-listed'; readonly pods: ReadonlyMap<string, PodFacts>; readonly askedAt: Instant }
  /** The watch of pods was down for so long that the counts are not certain. */
  | { readonly kind: 'pods-stale'; readonly since: Instant; readonly why: string }
  /** The watch of pods is up to date again. */
  | { readonly kind: 'pods-current'; readonly at: Instant }
  /** The ResourceQuotas of the set's namespace. */
  | { readonly kind: 'quotas-seen'; readonly quotas: Exclude<Quotas, 'unread'> }
  | { readonly kind: 'set-changed'; readonly set: RunnerSet }
  /** This process may act from now on. Actions of an earlier term are over. */
  | { readonly kind: 'term-began' }
  | { readonly kind: 'forge-event'; readonly event: ForgeEvent }
  /** The connection of a paused set is open. It has no session and reports no demand. */
  | { readonly kind: 'forge-paused' }
  /** The connection to the forge cannot be opened. */
  | { readonly kind: 'forge-failed'; readonly failure: Failure }
  /** A tick has decided; its actions begin after this input. */
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
