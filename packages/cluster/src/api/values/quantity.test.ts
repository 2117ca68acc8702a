// Parses quantities and writes them in Kubernetes' canonical form.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuantity } from './quantity.ts'

test.each([
  ['0', '0'],
  ['0m', '0'],
  ['1', '1'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['+1', '1'],
  ['-1.5', '-1500m'],
  ['1024Mi', '1Gi'],
  ['1500Mi', '1500Mi'],
  ['1.5Gi', '1536Mi'],
  ['1000Ki', '1000Ki'],
  ['512', '512'],
  ['1000k', '1M'],
  ['1e3', '1e3'],
  ['1E3', '1e3'],
  ['1E', '1E'],
  ['12e-1', '1200e-3'],
  ['0.1n', '1n'],
  ['0.001Ki', '1024m'],
])('%s is written %s', (text, canonical) => {
  expect(parseQuantity(text)?.text).toBe(canonical)
})

test.each(['', ' ', 'much', '1 ', '1.2.3', '1MiB', '--1', '1e', 'Ki', '1e999999999', `1${'0'.repeat(80)}`])(
  '%j is not a quantity',
  (text) => {
    expect(parseQuantity(text)).toBeUndefined()
  },
)

test('the canonical form is read as the same amount and stays canonical', () => {
  const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-2')
  fc.assert(
    fc.property(fc.integer(), fc.nat({ max: 999 }), suffix, (whole, fraction, unit) => {
      const first = parseQuantity(`${whole}.${fraction}${unit}`)
      const again = parseQuantity(first?.text ?? '')
      expect(first).toBeDefined()
      expect([again?.nano, again?.text]).toEqual([first?.nano, first?.text])
    }),
  )
})
