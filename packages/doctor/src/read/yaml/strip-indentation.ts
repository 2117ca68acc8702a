// Removes the indentation of lines, and maps offsets back.
import { lastAtMost } from './last-at-most.ts'

/** `toOuter`: turns an offset of `text` into one of the original text. */
export type Lines = {
  readonly text: string
  readonly toOuter: (offset: number) => number
}

/** `base`: the offset of `source` in the original text. Undefined: a line has another indentation. */
export function stripIndentation(
  source: string,
  from: number,
  { indentation, base }: { readonly indentation: string; readonly base: number },
): Lines | undefined {
  const parts: string[] = []
  // The offsets at which each line begins, in the result and in the original text.
  const inner: number[] = []
  const outer: number[] = []
  let length = 0
  for (let at = from; at < source.length; ) {
    const newline = source.indexOf('\n', at)
    const end = newline < 0 ? source.length : newline + 1
    let start = at + indentation.length
    if (!source.startsWith(indentation, at)) {
      start = at + (/^[ \t]*/.exec(source.slice(at, end))?.[0].length ?? 0)
      if (!/^\r?\n?$/.test(source.slice(start, end))) return undefined
    }
    inner.push(length)
    outer.push(base + start)
    parts.push(source.slice(start, end))
    length += end - start
    at = end
  }
  const toOuter = (offset: number) => {
    const line = lastAtMost(inner, offset)
    return (outer[line] ?? 0) + offset - (inner[line] ?? 0)
  }
  return { text: parts.join(''), toOuter }
}
