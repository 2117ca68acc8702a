import { expect, test } from 'vitest'
import { parsePrices } from './prices.ts'

test('prices have a currency, and no charge of the forge by default', () => {
  const text =
    '{ "cpuHour": 0.04, "memoryGibHour": 0.005, "nodes": [{ "label": "a/b=c", "cpuHour": 1, "memoryGibHour": 0 }] }'
  expect(parsePrices(text, 'prices.json')).toEqual({
    ...{ currency: 'USD', cpuHour: 0.04, memoryGibHour: 0.005, forgeMinute: 0 },
    nodes: [{ label: 'a/b=c', cpuHour: 1, memoryGibHour: 0 }],
  })
})

test.each([
  ['not JSON', /prices\.json cannot be used/],
  ['{ "cpuHour": 1 }', /memoryGibHour: /],
  ['{ "cpuHour": -1, "memoryGibHour": 0 }', /cpuHour: /],
  ['{ "cpuHour": 1, "memoryGibHour": 0, "cpuHours": 2 }', /cpuHours/],
  [
    '{ "cpuHour": 1, "memoryGibHour": 0, "nodes": [{ "label": "a", "cpuHour": 1, "memoryGibHour": 0 }] }',
    /nodes\.0\.label: /,
  ],
])('%s is refused with its place and an example', (text, sentence) => {
  expect(() => parsePrices(text, 'prices.json')).toThrow(sentence)
})
