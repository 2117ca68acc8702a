// Writes a plain value as lines of YAML, in the style of the document.
import { isMap, isScalar, isSeq, stringify, visit } from 'yaml'
import type { SourceDocument } from '../sources/document.ts'
import { type Manner, plainBlock, plainScalar } from './plain-block.ts'
import { refuse } from './refusal.ts'
import { rangeOf } from './text.ts'

/** Returns the lines of `value`, without indentation of their own. */
export function blockLines(document: SourceDocument, value: unknown): readonly string[] {
  const manner = mannerOf(document)
  const text = plainBlock(value, manner) ?? written(value, manner)
  return text.split('\n')
}

/** Returns the value on one line, for flow style. */
export function flowText(value: unknown): string {
  if (typeof value === 'string') return plainScalar(value) ?? written(value)
  return JSON.stringify(value)
}

/** Returns a scalar with the quotes of the one that it replaces, if possible. */
export function scalarText(value: unknown, before: string): string {
  if (typeof value === 'object' && value !== null) refuse('it would replace a list or a mapping')
  const plain = plainScalar(value) ?? written(value)
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
