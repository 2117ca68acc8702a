import type { Random } from '@dayfly/kit/random'
import { describe, expect, it } from 'vitest'
import { longStreamOf, streamOf } from './streams.ts'

/** Where the streams of two processes of a long run meet. */
const meeting = [
  ['controller-5', 14_003],
  ['controller-7', 1_198_247],
] as const

function drawn(of: (seed: number, part: string) => Random): readonly (readonly number[])[] {
  return meeting.map(([part, from]) => {
    const random = of(1, part)
    for (let skipped = 0; skipped < from; skipped++) random()
    return Array.from({ length: 5 }, random)
  })
}

describe('the streams of one seed', () => {
  it('are parts of one cycle, and may overlap', () => {
    const [one, other] = drawn(streamOf)
    expect(one).toEqual(other)
  })

  it('do not overlap where the short ones do, if they are long', () => {
    const [one, other] = drawn(longStreamOf)
    expect(one?.filter((number) => other?.includes(number))).toEqual([])
  })
})
