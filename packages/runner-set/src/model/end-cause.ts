// Why Dayfly ends a runner.
import type { Failure } from './failure.ts'

/** `ended` has proof of the end. With the others the runner may live, and is deregistered first. */
export type EndCause =
  | { readonly kind: 'ended' }
  | { readonly kind: 'surplus' }
  /** It is idle, and older than an idle runner may be or of an earlier template. */
  | { readonly kind: 'outdated' }
  /** It had its job, or the forge gives it none, and its container runs on by itself. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'ghost' }
  | { readonly kind: 'start-failed'; readonly failure: Failure }
  /** An earlier process created its pod and not its Secret, so it never starts. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'life-exceeded' }
