// Hides what looks like a secret in a line of a log. The forge masks its own secrets; this is a second guard for what programs print.

const hidden = '***'

const patterns: readonly (readonly [RegExp, string])[] = [
  // Tokens of forges and clouds by their prefixes.
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abpr]-|ATATT|ATBB|AKIA|ASIA)[A-Za-z0-9_-]{10,}/g, hidden],
  // JSON web tokens.
  [/\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g, hidden],
  // A password in an address.
  [/(:\/\/[^/\s:@]*:)[^/\s@]+@/g, `$1${hidden}@`],
  [/\b(authorization:\s*(?:basic|bearer|token)\s+)\S+/gi, `$1${hidden}`],
  [/\b((?:password|passwd|secret|token|api[_-]?key)["']?\s*[=:]\s*["']?)(?!\*\*\*)[^\s"']{6,}/gi, `$1${hidden}`],
  // A just-in-time configuration, or another long blob.
  [/[A-Za-z0-9+/]{200,}={0,2}/g, hidden],
]

/** A longer line is cut: the page shows what people read. */
const lengthMax = 2_000

export function masked(line: string): string {
  const short = line.length > lengthMax ? `${line.slice(0, lengthMax)}…` : line
  return patterns.reduce((text, [pattern, by]) => text.replace(pattern, by), short)
}
