// Patterns of schemas: written for Go's regular expressions, read by ours, as Unicode where they can be.

/** Throws a SyntaxError for what is no pattern. */
export function readPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // Unicode mode knows no needless escapes, such as `\-` outside a class.
    return new RegExp(pattern)
  }
}
