// The prose of a source file: its comments and the titles of its tests.
import { lineAt, type Source } from './source.ts'

/** Some sentences that belong together. */
export type Passage = { readonly line: number; readonly text: string }

/** Returns each comment as one passage on one line of text. */
export function commentsOf({ comments }: Source): readonly Passage[] {
  return comments.map(({ line, text }) => ({ line, text: text.replace(/\s+/g, ' ').trim() }))
}

/** Returns the titles of `it`, `test` and `describe`, also behind `.each(…)`. */
export function titlesOf(text: string): readonly Passage[] {
  const titles = /\b(?:it|test|describe)(?:\.\w+(?:\([^\n]*\))?)*\(\s*(['"`])(.*?)\1|^ *\]\)\((['"`])(.*?)\3/gm
  return [...text.matchAll(titles)].map((match) => ({
    line: lineAt(text, match.index),
    text: match[2] ?? match[4] ?? '',
  }))
}
