// Writes a plain value as lines of YAML, in the style of the document.
import { isMap, isScalar, isSeq, stringify, visit } from 'yaml'
import type { SourceDocument } from '../read/decode/document.ts'
import { refuse } from './refusal.ts'
import { rangeOf } from './text.ts'

/** `indent`: the columns of a nested mapping; `indentSeq`: whether a list is deeper than its key. */
type Manner = { readonly indent: number; readonly indentSeq: boolean }

/** Returns the lines of `value`, without indentation of their own. */
export function blockLines(document: SourceDocument, value: unknown): readonly string[] {
  return written(value, mannerOf(document)).split('\n')
}

/** Returns the value on one line, for flow style. */
export function flowText(value: unknown): string {
  return typeof value === 'string' ? written(value) : JSON.stringify(value)
}

/** Returns a scalar with the quotes of the one that it replaces, if possible. */
export function scalarText(value: unknown, before: string): string {
  if (typeof value === 'object' && value !== null) refuse('it would replace a list or a mapping')
  const plain = written(value)
  if (plain.includes('\n')) refuse('the new value has several lines')
  const quote = before.startsWith('"') ? '"' : before.startsWith("'") ? "'" : ''
  const quotable = typeof value === 'string' && /^[\w./:-]*$/.test(value)
  return quote && quotable ? `${quote}${value}${quote}` : plain
}

function written(value: unknown, manner?: Manner): string {
  return stringify(value, { ...manner, lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false }).trimEnd()
}

function mannerOf(document: SourceDocument): Manner {
  let indent: number | undefined
  let indentSeq: boolean | undefined
  visit(document.nodes(), {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || (!isMap(value) && !isSeq(value)) || value.flow) return undefined
      const step = columnOf(document.text, rangeOf(value)[0]) - columnOf(document.text, rangeOf(key)[0])
      if (isSeq(value)) indentSeq ??= step > 0
      else if (step > 0) indent ??= step
      return indent === undefined || indentSeq === undefined ? undefined : visit.BREAK
    },
  })
  return { indent: Math.min(indent ?? 2, 8), indentSeq: indentSeq ?? true }
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}
