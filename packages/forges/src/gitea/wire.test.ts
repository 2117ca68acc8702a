import { expect, test } from 'vitest'
import { readJob } from './wire.ts'

test.each([
  ['success', 'succeeded'],
  ['failure', 'failed'],
  ['cancelled', 'canceled'],
  ['skipped', 'skipped'],
  ['neutral', 'neutral'],
])('a job that ended as %s has the word of all forges: %s', (conclusion, word) => {
  expect(readJob({ id: 1, status: 'completed', conclusion })?.conclusion).toBe(word)
})
