import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import { expect, test } from 'vitest'
import { requestsOf } from './requests.ts'

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
