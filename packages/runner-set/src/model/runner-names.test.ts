import { expect, test } from 'vitest'
import { runnerPrefix } from './runner-names.ts'

/** The controller adds a random part of this length. */
const random = 'x'.repeat(10)

test('a runner of the set with the longest name is the name of a pod, which no forge shortens', () => {
  const uid = '11111111-2222-4333-8444-555555555555'
  for (const name of ['a'.repeat(63), `${'a'.repeat(39)}.b`, 'a']) {
    const runner = `${runnerPrefix({ name, uid })}${random}`
    expect(runner).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
  }
})
