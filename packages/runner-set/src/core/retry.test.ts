import { expect, it } from 'vitest'
import type { FailureReason } from '../model/failure.ts'
import { longestRetryWaitMs, retryWaitMs } from './retry.ts'

it.each<[FailureReason, number, number | undefined]>([
  ['image-missing', 1, 2_000],
  ['image-missing', 3, 8_000],
  ['image-missing', 20, 300_000],
  ['quota-exceeded', 1, 5_000],
  ['quota-exceeded', 9, 30_000],
  ['deregistration-refused', 9, 45_000],
  ['image-invalid', 1, undefined],
])('waits for %s after %i failures at most %s ms', (reason, failures, most) => {
  expect(longestRetryWaitMs(reason, failures)).toBe(most)
  const waits = ['a', 'b', 'c', 'd'].map((key) => retryWaitMs(reason, failures, key))
  for (const wait of waits) {
    if (most === undefined) expect(wait).toBeUndefined()
    else expect(wait).toBeLessThanOrEqual(most)
  }
  expect(new Set(waits).size).toBe(most === undefined ? 1 : waits.length)
})
