// The codes of the letters that the fast reader looks for, and its smallest steps in a text.

export const space = 0x20
export const newline = 0x0a
export const hash = 0x23
export const dash = 0x2d
export const colon = 0x3a

/** The letters that begin a value which is not plain. */
export const quote = { double: 0x22, single: 0x27, literal: 0x7c, list: 0x5b, mapping: 0x7b } as const

export function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === space) at++
  return at
}

/** Whether the dash of a list entry is at this offset. */
export function isEntry(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== dash) return false
  const next = text.charCodeAt(at + 1)
  return next === space || next === newline
}
