// The RunnerSet that a size becomes.
import { expect, it } from 'vitest'
import type { SetSize } from '../model/runner-set.ts'
import { sizeDocument } from './sizes.ts'
import { runnerSet } from './world.fixture.ts'

const size = (over: Partial<SetSize> = {}): SetSize => ({
  ...{ name: 'small', set: 'linux-small', adopt: false, labels: [], resources: undefined, template: undefined },
  ...{ min: 1, schedule: undefined, max: undefined, floor: 2, weight: 3 },
  ...over,
})
const github = { url: 'https://github.com/acme', labels: ['linux'] }
const specOf = (over: Partial<SetSize>, spec: Record<string, unknown> = {}) =>
  sizeDocument(runnerSet(), { github, scale: { max: 8 }, sizes: [{}], docker: 'none', ...spec }, size(over)).spec

it('has the rest of the spec, and shares the ceiling of its set', () => {
  const pool = { name: 'linux', max: 8, floor: 2, weight: 3 }
  expect(specOf({})).toEqual({ github, docker: 'none', scale: { min: 1, max: 8, pool } })
})

it.each<[string, Partial<SetSize>, unknown, object]>([
  ['its own maximum', { max: 5 }, { max: 8 }, { max: 5 }],
  ['no maximum above the ceiling', { max: 9 }, { max: 8 }, { max: 8 }],
  ['its windows', { schedule: [{ min: 3 }] }, { max: 8 }, { schedule: [{ min: 3 }] }],
  ['nothing under a ceiling of 0', { schedule: [{ min: 3 }] }, { max: 0 }, { min: 0, max: 0 }],
  ['nothing without a ceiling', {}, undefined, { min: 0, max: 0 }],
])('has %s', (_, over, scale, expected) => {
  expect(specOf(over, { scale })['scale']).toMatchObject(expected)
})

it('has the labels of its set and its own, each once', () => {
  expect(specOf({ labels: ['small', 'linux'] })['github']).toEqual({ ...github, labels: ['linux', 'small'] })
  expect(specOf({ labels: ['small'] }, { github: { url: 'u' } })['github']).toEqual({ url: 'u', labels: ['small'] })
  expect(specOf({ labels: ['small'] }, { github: 'broken' })['github']).toBe('broken')
})

it('has its resources over the template of its set, and its own template over both', () => {
  const container = (more: object) => ({ spec: { containers: [{ name: 'runner', ...more }] } })
  const template = container({ image: 'a' })
  const resources = { limits: { cpu: '2' } }
  expect(specOf({}, { template })['template']).toEqual(template)
  expect(specOf({ resources })['template']).toEqual(container({ resources }))
  const own = { resources, template: container({ image: 'b' }) }
  expect(specOf(own, { template })['template']).toEqual(container({ image: 'b', resources }))
  expect(specOf({}, { template: 'broken' })).not.toHaveProperty('template')
})
