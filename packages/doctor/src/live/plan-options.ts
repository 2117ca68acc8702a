// The operator's choices for a plan, and their defaults.
import { type Permissions, unasked } from './permissions.ts'

export type PlanOptions = {
  readonly permissions: Permissions
  /** The operator declines to restore ARC's controller. Only then the doctor removes its finalizers. */
  readonly restoreDeclined: boolean
  /** The operator agrees that an uninstall ends runners that run and are idle. Each is deregistered first, at a forge that refuses busy ones. */
  readonly idleRunnersEnd: boolean
  /** Milliseconds that must have passed since the runner ended, before its pod counts as a zombie. */
  readonly zombieGraceMs: number
  /** The limits of objects for one run, and for one namespace. */
  readonly objectsMax: number
  readonly objectsPerNamespaceMax: number
  /**
   * The circuit breaker: a plan that deletes a larger share of all runners points to an outage or a bug.
   * It does not apply up to `runnersAlways` runners.
   */
  readonly runnerShareMax: number
  readonly runnersAlways: number
}

export const planDefaults: PlanOptions = {
  permissions: unasked,
  restoreDeclined: false,
  idleRunnersEnd: false,
  zombieGraceMs: 5 * 60_000,
  objectsMax: 100,
  objectsPerNamespaceMax: 50,
  runnerShareMax: 0.5,
  runnersAlways: 10,
}
