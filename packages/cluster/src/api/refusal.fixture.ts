// Calls that a test expects to be refused.
import { ApiError, type Status } from './errors.ts'

/** Returns the Status with which the call was refused. Throws if the call succeeds. */
export function refusal(run: () => unknown): Status {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
  throw new Error('not refused')
}
