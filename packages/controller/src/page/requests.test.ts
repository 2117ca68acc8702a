import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import { expect, test } from 'vitest'
import { quantity, requestsOf } from './requests.ts'

test.each([
  ['500m', 0.5],
  ['2', 2],
  [2, 2],
  ['0.1', 0.1],
  ['1Gi', 1_024 ** 3],
  ['128M', 128e6],
  ['1e3', 1_000],
  ['', undefined],
  ['lots', undefined],
  [undefined, undefined],
])('the quantity %s is %s', (text, value) => {
  expect(quantity(text)).toBe(value)
})

const pod = (...containers: readonly object[]) =>
  requestsOf(runnerSet({ template: { spec: { containers: [{ name: 'runner', image: 'any' }, ...containers] } } }))
const helper = (name: string, resources: object) => ({ name, image: 'any', resources })

test('a pod requests what its containers do, and a limit alone counts as a request', () => {
  const helpers = [
    helper('a', { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4' } }),
    helper('b', { limits: { cpu: '1', memory: '512Mi' } }),
  ]
  expect(pod(...helpers)).toEqual({ cpu: 1.5, memoryGib: 1.5 })
})

test('a pod without any request has an unknown cost', () => {
  expect(pod()).toBeNull()
})
