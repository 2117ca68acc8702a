// Values of unknown shape: a missing field, or one of another type, reads as undefined.
import { expect, test } from 'vitest'
import { fieldsAt, isJsonObject, listAt, numberAt, textAt, textsAt, timeAt, valueAt } from './read-json.ts'

const root: unknown = {
  a: { list: [{ name: 'x' }, 'y', 7], number: 5, at: '2026-01-01T00:00:01Z' },
  text: 'z',
  no: null,
}

test('reads keys and list indexes', () => {
  expect(textAt(root, 'a', 'list', 0, 'name')).toBe('x')
  expect(numberAt(root, 'a', 'number')).toBe(5)
  expect(listAt(root, 'a', 'list')).toHaveLength(3)
  expect(textsAt(root, 'a', 'list')).toEqual(['y'])
  expect(fieldsAt(root, 'a', 'list', 0)).toEqual({ name: 'x' })
  expect(timeAt(root, 'a', 'at')).toBe(1_767_225_601_000)
})

test('reads a missing value, or one of another type, as undefined or empty', () => {
  expect(textAt(root, 'a', 'number')).toBeUndefined()
  expect(numberAt(root, 'text')).toBeUndefined()
  expect(fieldsAt(root, 'a', 'list')).toBeUndefined()
  expect(listAt(root, 'text')).toEqual([])
  expect(timeAt(root, 'text')).toBeUndefined()
  expect(valueAt(root, 'no', 'deeper')).toBeUndefined()
  expect(valueAt(undefined, 'a')).toBeUndefined()
})

test('ignores inherited properties', () => {
  expect(valueAt({}, 'toString')).toBeUndefined()
  expect(valueAt({}, '__proto__')).toBeUndefined()
})

test('takes neither a list nor null for a mapping', () => {
  expect([{}, [], null, 'x'].map(isJsonObject)).toEqual([true, false, false, false])
})
