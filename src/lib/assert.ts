// Programmer errors crash at once; the world's errors are values or typed errors, never asserts.

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** For the default branch of a switch over a closed union: the compiler proves it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected value ${JSON.stringify(value)}`)
}
