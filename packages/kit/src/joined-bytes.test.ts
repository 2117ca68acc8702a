import fc from 'fast-check'
import { expect, it } from 'vitest'
import { JoinedBytes } from './joined-bytes.ts'

it('joins any chunks, twice, and changes none of them', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), fc.array(fc.uint8Array()), (first, second) => {
      const bytes = new JoinedBytes()
      const taken = [first, second].map((chunks) => {
        const copy = Buffer.concat(chunks)
        for (const chunk of chunks) bytes.add(Buffer.from(chunk.buffer))
        return { chunks, copy, all: bytes.take() }
      })
      for (const { chunks, copy, all } of taken) {
        expect(all).toEqual(copy)
        expect(Buffer.concat(chunks)).toEqual(copy)
      }
    }),
  )
})

it('holds at most two bytes for each byte that came', () => {
  const bytes = new JoinedBytes()
  for (let left = 100_000; left > 0; left--) bytes.add(Buffer.from('x'))
  expect(bytes.take().buffer.byteLength).toBeLessThanOrEqual(200_000)
})
