import { describe, expect, it } from 'vitest'
import { createPosition } from './position.ts'

/** Plays a script: `e5` is an event with version 5, `b5` is a bookmark, `.` is a proper end of the stream. */
function after(start: string, script: string): string {
  const position = createPosition(start)
  for (const step of script.split(' ').filter(Boolean)) {
    if (step === '.') position.ended()
    else if (step.startsWith('e')) position.event(step.slice(1))
    else position.bookmark(step.slice(1))
  }
  return position.resourceVersion
}

describe('position', () => {
  const rows: readonly (readonly [what: string, start: string, script: string, then: string])[] = [
    ['stays the same without events', '7', '', '7'],
    ['moves with events', '7', 'e8 e12', '12'],
    ['ignores an unconfirmed bookmark, which may be early', '7', 'e8 b9', '8'],
    ['moves to a bookmark that a proper end confirms', '7', 'e8 b9 .', '9'],
    ['moves to a bookmark that a later bookmark confirms', '7', 'b8 b9', '8'],
    ['does not take a repeated bookmark for a confirmation', '7', 'b9 b9', '7'],
    ['drops an early bookmark at the event of the same version', '7', 'b9 e9', '9'],
    ['drops an early bookmark at an older event', '7', 'b9 e8', '8'],
    ['ignores an old bookmark', '7', 'e8 b5 .', '8'],
    ['ignores an old bookmark after a new one', '7', 'b9 b5 .', '9'],
    ['ignores old bookmarks before and after a new one', '7', 'b5 b9 b5 b5', '7'],
    ['compares numbers as numbers', '9', 'b10 .', '10'],
    ['compares numbers above 2^53 exactly', '90071992547409931', 'b90071992547409930 .', '90071992547409931'],
    ['takes versions that are not numbers in their order of arrival', 'a7', 'bx1 bx0', 'x1'],
    ['moves to an event even if it is older', '7', 'e5', '5'],
  ]
  it.each(rows)('%s', (_, start, script, then) => expect(after(start, script)).toBe(then))
})
