// Text of files and servers on a terminal and in the log of a CI job.
import { expect, test } from 'vitest'
import { printable, printableJson, printableLine } from './printable.ts'

test.each([
  ['an escape sequence', 'a\x1b[2Jb', 'a\ufffd[2Jb'],
  ['a window title', '\x1b]0;title\x07', '\ufffd]0;title\ufffd'],
  ['a C1 control', 'a\x9b2Jb', 'a\ufffd2Jb'],
  ['a mark that reverses the direction of writing', 'a\u202eb', 'a\ufffdb'],
  ['a carriage return that would overwrite the line', 'good\rbad', 'good\ufffdbad'],
  ['a tab', 'a\tb', 'a b'],
  ['a workflow command', '::error::x', '\ufffd:error::x'],
  ['an indented workflow command', '  ::error::x', '  \ufffd:error::x'],
  ['a workflow command on a later line', 'a\n::error::x', 'a\n\ufffd:error::x'],
  ['a workflow command behind a vertical tab', '\x0b::error::x', '\ufffd::error::x'],
  ['a command of the older form inside a line', 'a ##[error]x', 'a #\ufffd[error]x'],
  ['ordinary text', 'a::b, 100 %, ünïcode 😀 # [x]', 'a::b, 100 %, ünïcode 😀 # [x]'],
])('makes %s harmless', (_, text, expected) => {
  expect(printable(text)).toBe(expected)
})

test('puts several lines on one', () => {
  expect(printableLine('a\r\n::error::b\n')).toBe('a ::error::b')
})

test('writes JSON that has no control and means the original text', () => {
  const value = { a: 'x\x1b[2J\x9b\u202e ##[error]\n::error::' }
  const text = printableJson(value)
  expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]|##\[/)
  expect(JSON.parse(text)).toEqual(value)
})
