// The machine's clock, with the timers of Node.js replaced.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './system.ts'

const day = 24 * 3600 * 1_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a timer of a year runs after a year', () => {
  const run = vi.fn()
  systemClock().after(365 * day, run)
  vi.advanceTimersByTime(365 * day - 1)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(run).toHaveBeenCalledOnce()
})

test('a timer of a year can be cancelled after a month', () => {
  const run = vi.fn()
  const timer = systemClock().after(365 * day, run)
  vi.advanceTimersByTime(30 * day)
  timer.cancel()
  expect(vi.getTimerCount()).toBe(0)
})
