// The work that one object may cause against its schema. The product of both has no other bound: 10,000 alternatives for
// each of 10,000 items. Kubernetes ends such a request at its time limit.
import { ApiError } from '../errors.ts'

/** Counts down. */
export type WorkLeft = { steps: number }

/** Steps that take about half a second. */
const stepsMax = 1_000_000

export function newWork(): WorkLeft {
  return { steps: stepsMax }
}

/** Throws a 504 if the request has used up its work. */
export function spend(left: WorkLeft, steps: number): void {
  left.steps -= steps
  if (left.steps >= 0) return
  const why = 'the embedded cluster bounds the work of one schema on one object'
  throw new ApiError(504, 'Timeout', `Timeout: request did not complete within requested timeout - ${why}`, {})
}
