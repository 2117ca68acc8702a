import { expect, test } from 'vitest'
import { ConfigError } from './lookup.ts'

test('a reason of the kubelet has no stack, and the next error has one again', () => {
  expect(new ConfigError('no').stack).toBe('ConfigError: no')
  expect(new Error('other').stack).toContain('lookup.test.ts')
})
