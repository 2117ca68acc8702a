import { beforeEach, expect, it } from 'vitest'
import { measuredOf } from './measured.ts'
import { Sampler } from './sampler.ts'

const mib = 1_024 ** 2
const key = 'ci/linux-1'
let sampler: Sampler

beforeEach(() => {
  sampler = new Sampler()
})

const measure = (second: number, cpu: number, memoryMiB: number, at = second) =>
  sampler.measured(key, { runner: 'linux-1', at: at * 1_000, cpu, memory: memoryMiB * mib }, second * 1_000)
const end = (second: number) => sampler.ended(key, second * 1_000)

it('takes the peak of the memory, and of the processor all but short peaks', () => {
  sampler.began(key, 0)
  for (let second = 30; second <= 1_200; second += 30)
    measure(second, second === 600 ? 4 : 0.5, second === 900 ? 900 : 300)
  expect(end(1_210)).toEqual({ seconds: 1_210, milliCpu: 501, memoryMiB: 900 })
})

it('knows nothing but the time of a job that was never measured, or only before it began', () => {
  sampler.began(key, 60_000)
  measure(61, 3, 900, 59)
  expect(end(90)).toEqual({ seconds: 30, milliCpu: undefined, memoryMiB: undefined })
})

it.each([
  ['before the first measurement', [180, 210], 220],
  ['between two', [30, 200], 210],
  ['before the end', [30, 60], 200],
])('knows nothing but the time of a job with a gap %s', (_, seconds, over) => {
  sampler.began(key, 0)
  for (const second of seconds) measure(second, 1, 100)
  expect(end(over)).toEqual({ seconds: over, milliCpu: undefined, memoryMiB: undefined })
})

it('counts a job once', () => {
  sampler.began(key, 0)
  end(10)
  expect(end(12)).toBeUndefined()
})

const item = (...containers: readonly object[]) => ({
  metadata: { name: 'linux-1' },
  timestamp: '1970-01-01T00:01:00Z',
  containers,
})
const container = (cpu: unknown, memory: unknown, name = 'runner') => ({ name, usage: { cpu, memory } })

it('adds up the containers of a pod, in each form of a quantity', () => {
  const measured = measuredOf(item(container('250000000n', '1024Ki'), container('100m', '1Mi', 'docker')))
  expect(measured).toEqual({ runner: 'linux-1', at: 60_000, cpu: 0.35, memory: 2 * mib })
})

it.each([
  ['no container', item()],
  ['no runner', item(container('1', '1Mi', 'docker'))],
  ['an odd quantity', item(container('1', '1Mi'), container('lots', '1Mi', 'docker'))],
  ['a negative quantity', item(container('-1', '1Mi'))],
  ['an endless quantity', item(container('1e999', '1Mi'))],
  ['no quantity', item({ name: 'runner', usage: null })],
  ['no memory', item(container('1', '0'))],
  ['no time', { ...item(container('1', '1Mi')), timestamp: 'soon' }],
])('a pod with %s is unknown', (_, value) => {
  expect(measuredOf(value)).toBeUndefined()
})
