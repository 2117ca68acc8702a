// The sets of fields that objects share: they read and print as sets of their own do, and no writer can change them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FieldSet, fieldSet, leafSet, printSet, readSet, sameSet } from './field-set.ts'
import { createSharedSets } from './shared-sets.ts'

const { print, read } = createSharedSets()

const sets = fc.letrec<{ set: FieldSet; inner: FieldSet }>((tie) => ({
  inner: fc
    .tuple(
      fc.boolean(),
      fc.array(fc.tuple(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}'), tie('set')), { minLength: 1, maxLength: 3 }),
    )
    .map(([member, children]) => fieldSet(member, children)),
  set: fc.oneof({ maxDepth: 3 }, fc.constant(leafSet), tie('inner')),
})).inner

test('a shared set prints and reads as any other set', () => {
  fc.assert(
    fc.property(sets, (set) => {
      const printed = print(set)
      expect(printed).toEqual(printSet(set))
      const again = read(printed)
      expect(again && sameSet(again, readSet(printSet(set)) ?? leafSet)).toBe(true)
    }),
  )
})

test('equal sets share one object, which no one can change', () => {
  const set = () => fieldSet(false, [['f:spec', fieldSet(true, [['f:replicas', leafSet]])]])
  const printed = print(set())
  expect(print(set())).toBe(printed)
  expect(Object.isFrozen(printed) && Object.isFrozen(printed['f:spec'])).toBe(true)
})

test('sets share an object also if their fields come in different orders, and not if they only look alike', () => {
  const of = (...names: string[]) =>
    fieldSet(
      false,
      names.map((name) => [name, leafSet] as const),
    )
  expect(print(of('f:a', 'f:b'))).toBe(print(of('f:b', 'f:a')))
  const lookAlike = [of('f:a', 'f:b'), of('f:a,3 f:b'), of('f:a{}3 f:b'), fieldSet(false, [['f:a', of('f:b')]])]
  for (const set of lookAlike) expect(print(set)).toEqual(printSet(set))
})

test('very large sets are not shared', () => {
  const large = () =>
    fieldSet(
      false,
      Array.from({ length: 2_000 }, (_, index) => [`f:field-${index}`, leafSet] as const),
    )
  const printed = print(large())
  expect(print(large())).not.toBe(printed)
  expect(read(printed)?.children.size).toBe(2_000)
})

test('a value that is no set is not read', () => {
  for (const value of [undefined, null, 'f:a', { nonsense: {} }]) expect(read(value)).toBeUndefined()
})
