// Keys and scalars on one line, for the fast reader.

/** Not certain: the full parser decides. */
export const giveUp = Symbol('give up')

const integer = /^[-+]?[0-9]+$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/
/** Numbers of other forms, infinities, and what may be one. */
const doubtful = /^[-+]?(?:0[xo]|[.0-9]+[eE]|\.(?:inf|nan)$)/i
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** A plain key of letters, digits and `_ . / -`, at this column and before a colon. */
export function fastKey(line: string, column: number): string | undefined {
  const key = /^[A-Za-z_][\w./-]*(?=:(?: |$))/.exec(column === 0 ? line : line.slice(column))?.[0]
  return key === undefined || words.has(key) || key === '__proto__' ? undefined : key
}

/** `text` begins with a word and may end with a comment. */
export function fastScalar(text: string): unknown {
  const first = text[0]
  if (first === '"') return /^"([^"\\]*)" *(?: #.*)?$/.exec(text)?.[1] ?? giveUp
  if (first === "'") return /^'([^']*)' *(?: #.*)?$/.exec(text)?.[1] ?? giveUp
  const comment = text.indexOf(' #')
  const plain = (comment < 0 ? text : text.slice(0, comment)).trimEnd()
  if (/^[-?:](?: |$)|^[,[\]{}#&*!|>'"%@`]|: |:$/.test(plain)) return giveUp
  return resolvePlain(plain)
}

export function resolvePlain(plain: string): unknown {
  const word = words.get(plain)
  if (word !== undefined) return word
  if (!/^[-+.0-9]/.test(plain)) return plain
  if (integer.test(plain)) return Number.parseInt(plain, 10)
  if (float.test(plain)) return Number.parseFloat(plain)
  return doubtful.test(plain) ? giveUp : plain
}
