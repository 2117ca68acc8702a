import { expect, it } from 'vitest'
import { rowWindow } from './row-window.ts'

const sizes = { rowHeight: 44, boxHeight: 440 }

it.each([
  [0, 0],
  [5, 0],
  [10_000, 0],
  [10_000, 5_000],
  [10_000, 9_995],
  // Rows left while the reader had scrolled to the end.
  [20, 9_000],
])('%s rows from row %s: few rows exist, and the height is that of all', (rows, top) => {
  const { first, end, before, after } = rowWindow(rows, top, sizes)
  expect(end - first).toBeLessThanOrEqual(34)
  expect(end - first).toBeGreaterThanOrEqual(Math.min(rows, 10))
  expect(before + (end - first) * 44 + after).toBe(rows * 44)
})
