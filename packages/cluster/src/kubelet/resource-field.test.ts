import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import { asPod } from './pod.ts'
import { readResource } from './resource-field.ts'

const resources = { requests: { cpu: '1500m', memory: '100Mi' }, limits: { memory: '1Gi' } }

async function open() {
  const stage = openPodStage()
  stage.create({ containers: [containerOf('main', { resources })] })
  await stage.clock.advance(1_000)
  const object = stage.pod()
  if (!object) throw new Error('the pod is gone')
  return { registry: stage.registry, pod: asPod(object) }
}

test.each([
  ['requests.cpu', '1', '2'],
  ['requests.cpu', '1m', '1500'],
  ['requests.memory', '1Mi', '100'],
  ['limits.memory', '0', '1073741824'],
  ['limits.cpu', '1', '1000'],
  ['requests.ephemeral-storage', '1', '0'],
])('%s in units of %s is %s', async (resource, divisor, value) => {
  const { registry, pod } = await open()
  expect(readResource(registry, pod, { resource, divisor }, 'main')).toBe(value)
  expect(readResource(registry, pod, { resource, divisor, containerName: 'main' })).toBe(value)
})

test('a missing container and an unknown field are refused', async () => {
  const { registry, pod } = await open()
  expect(() => readResource(registry, pod, { resource: 'limits.cpu', containerName: 'x' })).toThrow(
    'container x not found',
  )
  expect(() => readResource(registry, pod, { resource: 'cpu' }, 'main')).toThrow('unsupported container resource : cpu')
})
