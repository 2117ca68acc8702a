// What the operator may say of a plan, and what holds unless they do.
import { type Permissions, unasked } from './permissions.ts'

export type PlanOptions = {
  readonly permissions: Permissions
  /** The operator has declined to bring ARC's controller back: only then finalizers are removed in its place. */
  readonly restoreDeclined: boolean
  /** How long a runner must have ended before its pod counts as a zombie, in milliseconds. */
  readonly zombieGraceMs: number
  /** Objects of one run, and of one namespace in it. */
  readonly objectsMax: number
  readonly objectsPerNamespaceMax: number
  /** The breaker: more than this share of all runners at once is an outage or our error, not zombies. Up to `runnersAlways` are always allowed. */
  readonly runnerShareMax: number
  readonly runnersAlways: number
}

export const planDefaults: PlanOptions = {
  permissions: unasked,
  restoreDeclined: false,
  zombieGraceMs: 5 * 60_000,
  objectsMax: 100,
  objectsPerNamespaceMax: 50,
  runnerShareMax: 0.5,
  runnersAlways: 10,
}
