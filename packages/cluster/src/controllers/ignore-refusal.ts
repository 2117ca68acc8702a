// Writes by controllers that the API server may refuse.
import { ApiError } from '../api/errors.ts'

/** Makes a change and ignores a refusal by the API server. An object that changed or was deleted in the meantime triggers an event of its own. */
export function ignoreRefusal(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}
