// Replaces secrets in all text that leaves the runner.

export interface Mask {
  /** Hides a value and each of its lines from now on. Blank values are ignored. */
  add(secret: string): void
  apply(text: string): string
}

/** The maximum number of masks. Each one slows down every line, and a script may add any number of them. */
const masksMax = 1_000

export function createMask(): Mask {
  const secrets = new Set<string>()
  let pattern: RegExp | undefined
  return {
    add: (secret) => {
      for (const value of [secret, ...secret.split(/\r?\n/)]) {
        if (value.trim() !== '' && secrets.size < masksMax) secrets.add(value)
      }
      const longestFirst = [...secrets].sort((one, other) => other.length - one.length)
      const sources = longestFirst.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      pattern = sources.length > 0 ? new RegExp(sources.join('|'), 'g') : undefined
    },
    apply: (text) => (pattern ? text.replace(pattern, '***') : text),
  }
}
