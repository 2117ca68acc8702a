// Reads the patterns of schemas. They are written for Go's regular expressions.

/** Reads a pattern, in Unicode mode if possible. Throws a SyntaxError for an invalid one. */
export function readPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // Unicode mode rejects unnecessary escapes, such as `\-` outside a class.
    return new RegExp(pattern)
  }
}
