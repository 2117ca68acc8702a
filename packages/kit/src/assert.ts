// Assertions: they stop the process on an error of the program itself. Errors of servers, files and users are values or typed errors instead.

/** Throws if the condition does not hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** Throws. The default branch of a switch over a closed union calls it, so the compiler proves that every case is handled. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected value ${JSON.stringify(value)}`)
}
