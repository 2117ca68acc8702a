import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSortedKeys } from './sorted-keys.ts'

describe('sorted keys', () => {
  it('are the same as a sorted array, after any changes between lists and beyond the size of a block', () => {
    const key = fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3_000))
      .map(([namespace, name]) => `${namespace}/${name}`)
    const changes = fc.array(fc.tuple(fc.boolean(), key, fc.nat(200)), { minLength: 500, maxLength: 3_000 })
    fc.assert(
      fc.property(changes, key, fc.constantFrom('', 'a/', 'b/', 'c/', 'd/'), (all, after, prefix) => {
        const keys = createSortedKeys()
        const model = new Set<string>()
        for (const [isAdded, one, chance] of all) {
          if (isAdded && !model.has(one)) keys.add(one)
          if (!isAdded && model.has(one)) keys.remove(one)
          if (isAdded) model.add(one)
          else model.delete(one)
          if (chance === 0) expect(keys.from('')).toHaveLength(model.size)
        }
        const sorted = [...model].sort()
        expect(keys.from('')).toEqual(sorted)
        const within = sorted.filter((one) => one.startsWith(prefix))
        expect(keys.from(prefix)).toEqual(within)
        expect(keys.from(prefix, `${prefix}${after}`)).toEqual(within.filter((one) => one > `${prefix}${after}`))
      }),
      { numRuns: 50 },
    )
  })

  it('are in order when they arrive in order, backwards, and when all but one have left', () => {
    const keys = createSortedKeys()
    const names = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(6, '0'))
    for (const name of [...names].reverse()) keys.add(name)
    expect(keys.from('')).toEqual(names)
    for (const name of names.slice(0, -1)) keys.remove(name)
    expect(keys.from('')).toEqual(names.slice(-1))
    keys.remove(names.at(-1) ?? '')
    expect(keys.from('')).toEqual([])
    keys.add('x')
    expect(keys.from('')).toEqual(['x'])
  })
})
