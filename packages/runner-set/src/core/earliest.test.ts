import { expect, it } from 'vitest'
import { earliestAfter } from './earliest.ts'

it.each([
  ['the first one to come', [undefined, 3, 9, 7], 7],
  ['none that is now', [5, undefined], undefined],
])('finds %s', (_, instants, first) => {
  expect(earliestAfter(5, instants)).toBe(first)
})
