import { expect, it } from 'vitest'
import { table, wrap } from './table.ts'

const columns = [{ title: 'SET' }, { title: 'BUSY', align: 'right' }, { title: 'REASON' }] as const

it('aligns columns, and cuts a line that is wider than the terminal', () => {
  const rows = [
    ['linux', '3', ''],
    ['gpu', '12', 'image-missing'],
  ]
  expect(table(columns, rows, 80)).toEqual(['SET    BUSY  REASON', 'linux     3', 'gpu      12  image-missing'])
  expect(table(columns, rows, 20)).toEqual(['SET    BUSY  REASON', 'linux     3', 'gpu      12  image-…'])
})

it('keeps its columns for any text that a server sends', () => {
  const [, row = ''] = table(columns, [['a\u001b[31m', '1', 'two\nlines']], 80)
  expect(row).toBe('a\ufffd[31m     1  two lines')
})

it('wraps at spaces, under the first word', () => {
  expect(wrap('one two three', '  next: ', 16)).toEqual(['  next: one two', '        three'])
  expect(wrap('', '  ', 16)).toEqual([])
  expect(wrap('averyveryverylongword x', '', 8)).toEqual(['averyveryverylongword', 'x'])
})
