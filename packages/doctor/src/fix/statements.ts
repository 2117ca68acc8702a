// Keeps a splice on one side of each template statement (if, for, end). All offsets count in the file.
import type { SourceDocument } from '../read/decode/document.ts'
import type { Span } from '../read/yaml/span.ts'
import { refuse } from './refusal.ts'
import { lineEnd } from './text.ts'

/** Refuses a span that cuts a template statement: half of a condition would stay. */
export function refuseUnbalanced(document: SourceDocument, start: number, end: number): void {
  const reason = whyUnbalanced(document, start, end)
  if (reason !== undefined) refuse(reason)
}

/** Returns the template statement that prevents an insertion at `end` into a part that begins at `start`; undefined if there is none. */
function whyUnbalanced(document: SourceDocument, start: number, end: number): string | undefined {
  const { depth, leaves } = statementsIn(document, start, end)
  if (leaves || depth !== 0) return 'a template statement begins or ends in between'
  const following = nextContent(document.file.text, end)
  const prints = document.markers().some(({ alone, role, start }) => alone && role === 'value' && start === following)
  return prints ? 'a template prints more lines right behind it' : undefined
}

/** Whether an insertion at `at` has exactly the conditions of the part from `start` to `end`. */
export function isOpenTo(document: SourceDocument, at: number, { start, end }: Span): boolean {
  return whyUnbalanced(document, start, at) === undefined && !statementsIn(document, at, end).leaves
}

/** `leaves`: the span ends a statement, or enters another branch of one, that began before it. */
function statementsIn(document: SourceDocument, start: number, end: number) {
  let depth = 0
  for (const marker of document.markers()) {
    if (marker.start < start || marker.start >= end) continue
    if (marker.role === 'open') depth++
    else if (marker.role === 'close') depth--
    if (depth < 0 || (depth === 0 && marker.role === 'middle')) return { depth, leaves: true }
  }
  return { depth, leaves: false }
}

/** Returns the offset of the first word on the lines below. */
function nextContent(text: string, offset: number): number {
  let at = lineEnd(text, offset)
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
