// Finds the comment that explains a key: at the end of its line, or directly above it.
import type { Path } from '@dayfly/kit/read-json'
import type { SourceObject } from '../decode/document.ts'
import { placeOf } from './place.ts'

/** Undefined if the path does not exist, or if its comment has no words: a code, an order to a tool, or a key that is switched off. */
export function commentAt(object: SourceObject, path: Path): string | undefined {
  const { text } = object.document.file
  const { start } = placeOf(object, path, () => ({ line: 1, column: 1 }))
  const begin = text.lastIndexOf('\n', start - 1) + 1
  const end = text.indexOf('\n', start)
  const own = text.slice(start, end < 0 ? text.length : end)
  const above = text.slice(0, Math.max(0, begin - 1))
  const candidates = [/\s#+(.*)$/.exec(own)?.[1], /^\s*#+(.*)$/.exec(above.slice(above.lastIndexOf('\n') + 1))?.[1]]
  return candidates.flatMap((each) => (each === undefined ? [] : [each.trim()])).find(explains)
}

function explains(comment: string): boolean {
  if (/doctor-ignore/.test(comment) || /^[\w.-]+:( \S*)?$/.test(comment)) return false
  return /[a-z]{2,}\W+\S*[a-z]{2,}|\d+ ?(s|sec|m|min|h|d|minutes?|hours?|days?|weeks?)\b/i.test(comment)
}
