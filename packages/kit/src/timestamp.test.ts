import { expect, test } from 'vitest'
import { microTimestamp, timestamp } from './timestamp.ts'

test.each([
  ['the epoch', 0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
  ['a whole second', Date.UTC(2026, 0, 1), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z'],
  ['the last millisecond of a year', Date.UTC(2026, 0, 1) - 1, '2025-12-31T23:59:59Z', '2025-12-31T23:59:59.999000Z'],
])('%s has a format that Date.parse reads back', (_, at, seconds, microseconds) => {
  expect(timestamp(at)).toBe(seconds)
  expect(microTimestamp(at)).toBe(microseconds)
  expect(Date.parse(timestamp(at))).toBe(Math.floor(at / 1000) * 1000)
  expect(Date.parse(microTimestamp(at))).toBe(at)
})
