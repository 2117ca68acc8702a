// Returns the system's own reason for a failed read.

/** Drops the system call and the path, which the report names already. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+ '.*'$/, '') : 'unknown error'
}
