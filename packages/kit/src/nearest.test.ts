import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const commands = ['demo', 'cluster', 'emulate']

test.each([
  ['dmeo', 'demo'],
  ['dem', 'demo'],
  ['clusters', 'cluster'],
  ['emulator', 'emulate'],
  ['EMULATE', undefined],
  ['constructor', undefined],
  ['x', undefined],
  ['', undefined],
])('%j means %j', (typed, meant) => {
  expect(nearest(typed, commands)).toBe(meant)
})
