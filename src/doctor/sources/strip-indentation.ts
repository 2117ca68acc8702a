// Lines of a text without their indentation, with the way back.
import { lastAtMost } from './last-at-most.ts'

/** `toOuter`: from an offset of `text` to one of the text that it was cut from. */
export type Lines = {
  readonly text: string
  readonly toOuter: (offset: number) => number
}

/** Cuts the indentation from each line and remembers where the rest of it stood. `base`: where `source` stands in that text. Undefined: a line is not indented so. */
export function stripIndentation(
  source: string,
  from: number,
  { indentation, base }: { readonly indentation: string; readonly base: number },
): Lines | undefined {
  const parts: string[] = []
  // Where each line begins, in what is left and in the text around.
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
