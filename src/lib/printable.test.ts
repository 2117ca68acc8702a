import { expect, it } from 'vitest'
import { printable } from './printable.ts'

it.each([
  ['an escape sequence', '\x1b[2J\x1b]0;title\x07', '\\u001b[2J\\u001b]0;title\\u0007'],
  ['a C1 control sequence', '\x9b31mred', '\\u009b31mred'],
  ['a carriage return', 'good\rbad', 'good\\u000dbad'],
  ['backspace, delete and null', '\b\x7f\0', '\\u0008\\u007f\\u0000'],
  ['bidirectional overrides', '\u202eabc\u202c \u2066x\u2069', '\\u202eabc\\u202c \\u2066x\\u2069'],
])('replaces %s', (_, text, expected) => expect(printable(text)).toBe(expected))

it('keeps tabs, line feeds and letters of every script', () => {
  const text = 'a\tb\n  Grüße, 世界 🎉 مرحبا \\u001b ✓'
  expect(printable(text)).toBe(text)
})

it('changes nothing in its own result', () => {
  const every = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('')
  expect(printable(printable(every))).toBe(printable(every))
  expect(printable(every)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
})
