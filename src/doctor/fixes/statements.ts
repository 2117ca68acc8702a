// Template statements (if, for, end) around what changes: a splice stays on one side of each. All offsets count in the file.
import type { SourceDocument } from '../sources/document.ts'
import type { Span } from '../sources/span.ts'
import { refuse } from './refusal.ts'
import { lineEnd } from './text.ts'

/** Refuses to cut what template statements open or close: half of a condition would stay. */
export function refuseUnbalanced(document: SourceDocument, start: number, end: number): void {
  const reason = whyUnbalanced(document, start, end)
  if (reason !== undefined) refuse(reason)
}

/** Why nothing can be put at `end` into what begins at `start`; undefined: no template statement is in the way. */
function whyUnbalanced(document: SourceDocument, start: number, end: number): string | undefined {
  const { depth, leaves } = statementsIn(document, start, end)
  if (leaves || depth !== 0) return 'a template statement begins or ends in between'
  const following = nextContent(document.file.text, end)
  const prints = document.markers().some(({ alone, role, start }) => alone && role === 'value' && start === following)
  return prints ? 'a template prints more lines right behind it' : undefined
}

/** Whether what is put there stands under every condition of what begins at `start` and ends at `end`, and under no other. */
export function isOpenTo(document: SourceDocument, at: number, { start, end }: Span): boolean {
  return whyUnbalanced(document, start, at) === undefined && !statementsIn(document, at, end).leaves
}

/** `leaves`: it ends a statement, or goes to another branch of one, that began before. */
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

/** The first word on the lines below. */
function nextContent(text: string, offset: number): number {
  let at = lineEnd(text, offset)
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
