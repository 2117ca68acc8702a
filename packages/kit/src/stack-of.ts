// The text of a thrown value for those who look for the cause of a defect.

/** Returns the stack of an error, with its name and message, or the text of any other thrown value. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error)
}
