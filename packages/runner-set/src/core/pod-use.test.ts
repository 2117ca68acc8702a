import { expect, it } from 'vitest'
import { podUseOf } from './pod-use.ts'

const container = (cpu: string, memory?: string) => ({
  resources: { requests: { cpu, ...(memory === undefined ? {} : { memory }) }, limits: { cpu: '4' } },
})
const sidecar = (cpu: string) => ({ ...container(cpu), restartPolicy: 'Always' })
const of = (spec: object) => podUseOf(spec).amounts

it.each<[string, object, Record<string, number>]>([
  [
    'containers together',
    { containers: [container('500m', '1Gi'), container('1', '512Mi')] },
    { 'requests.cpu': 1.5, memory: 1.5 * 2 ** 30, 'limits.cpu': 8 },
  ],
  ['sidecars beside containers', { initContainers: [sidecar('2')], containers: [container('1')] }, { cpu: 3 }],
  ['the largest init container', { initContainers: [container('5')], containers: [container('1')] }, { cpu: 5 }],
  [
    'an init container beside the sidecars before it',
    { initContainers: [sidecar('2'), container('3')], containers: [container('1')] },
    { cpu: 5 },
  ],
  [
    'no sidecar that comes after it',
    { initContainers: [container('3'), sidecar('1')], containers: [container('1')] },
    { cpu: 3 },
  ],
  ['the overhead of a runtime class', { containers: [container('1')], overhead: { cpu: '250m' } }, { cpu: 1.25 }],
  ['what the pod itself states', { containers: [container('1')], resources: { requests: { cpu: '2' } } }, { cpu: 2 }],
  [
    'extended resources',
    { containers: [{ resources: { requests: { 'nvidia.com/gpu': '1' } } }] },
    { 'requests.nvidia.com/gpu': 1 },
  ],
  ['one pod and one Secret', {}, { pods: 1, 'count/pods': 1, secrets: 1 }],
])('counts %s', (_, spec, expected) => {
  expect(of(spec)).toMatchObject(expected)
})

it('knows what the scopes of a quota ask', () => {
  expect(podUseOf({ containers: [{}] })).toMatchObject({ isBestEffort: true, isTerminating: false })
  expect(podUseOf(undefined)).toEqual(podUseOf({}))
  const requests = { cpu: '1' }
  expect(podUseOf({ containers: [{ resources: { requests } }] }).isBestEffort).toBe(false)
  expect(podUseOf({ containers: [{ resources: { limits: requests } }] }).isBestEffort).toBe(false)
  const spec = { containers: [container('1')], activeDeadlineSeconds: 60, priorityClassName: 'low' }
  expect(podUseOf(spec)).toMatchObject({ isBestEffort: false, isTerminating: true, priorityClass: 'low' })
})
