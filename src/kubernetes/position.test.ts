import { describe, expect, it } from 'vitest'
import { createPosition } from './position.ts'

/** `e5`: an event with version 5; `b5`: a bookmark; `.`: the stream ended in good order. */
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
    ['nothing happened', '7', '', '7'],
    ['events move it', '7', 'e8 e12', '12'],
    ['a bookmark that nothing follows may be early', '7', 'e8 b9', '8'],
    ['the end in good order confirms a bookmark', '7', 'e8 b9 .', '9'],
    ['a later bookmark confirms the one before', '7', 'b8 b9', '8'],
    ['the same bookmark twice confirms nothing', '7', 'b9 b9', '7'],
    ['an event behind an early bookmark takes it back', '7', 'b9 e9', '9'],
    ['two events behind an early bookmark', '7', 'b9 e8', '8'],
    ['an old bookmark moves nothing back', '7', 'e8 b5 .', '8'],
    ['an old bookmark after a new one', '7', 'b9 b5 .', '9'],
    ['old bookmarks around a new one', '7', 'b5 b9 b5 b5', '7'],
    ['numbers are compared as numbers', '9', 'b10 .', '10'],
    ['larger than any exact number', '90071992547409931', 'b90071992547409930 .', '90071992547409931'],
    ['versions that are no numbers are taken in their order', 'a7', 'bx1 bx0', 'x1'],
    ['an event is believed even if it is older', '7', 'e5', '5'],
  ]
  it.each(rows)('%s', (_, start, script, then) => expect(after(start, script)).toBe(then))
})
