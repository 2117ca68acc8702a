// Why the system did not read something, in its own words.

/** Without the call and the path, which stands beside it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+ '.*'$/, '') : 'unknown error'
}
