import { expect, test } from 'vitest'
import { uuid } from './ids.ts'

test('a UUID draws its digits from left to right, and has the version and the variant of RFC 9562', () => {
  let drawn = 0
  const counting = () => (drawn++ % 16) / 16
  expect(uuid(counting)).toBe('01234567-89ab-4cde-b012-3456789abcde')
})
