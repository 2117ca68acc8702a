import { expect, it } from 'vitest'
import { DueIndex } from './due.ts'

it('forgets the nodes of deleted keys long before they are due, and keeps the order of the others', () => {
  const due = new DueIndex()
  for (let key = 0; key < 10_000; key++) {
    due.set(`key-${key}`, 1_000_000 - key)
    if (key >= 100) due.delete(`key-${key - 100}`)
    expect(due.nodes).toBeLessThanOrEqual(2 * 101 + 65)
  }
  const left = Array.from({ length: 100 }, (_, index) => `key-${9_999 - index}`)
  expect(due.next()).toBe(990_001)
  expect(due.take(990_050)).toEqual(left.slice(0, 50))
  expect(due.take(1_000_000)).toEqual(left.slice(50))
  expect(due.next()).toBeUndefined()
})
