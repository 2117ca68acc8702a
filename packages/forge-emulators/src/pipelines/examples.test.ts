// The example pipelines have the documented outcomes on real runner processes.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StepRunners, stepRunners } from '../runner/step-runners.fixture.ts'
import { readPipeline } from './parse.ts'

const folder = path.resolve(import.meta.dirname, '../../../../examples/bitbucket')

let world: StepRunners

beforeAll(async () => {
  world = await stepRunners()
  await Promise.all(['r-1', 'r-2', 'r-3'].map((name) => world.online(name)))
})
afterAll(() => world.close())

const examples: readonly (readonly [file: string, selector: string, result: string, steps: string])[] = [
  ['hello.yml', 'default', 'SUCCESSFUL', 'greet SUCCESSFUL'],
  [
    'parallel-stages.yml',
    'default',
    'SUCCESSFUL',
    'build SUCCESSFUL, shard SUCCESSFUL, shard SUCCESSFUL, lint SUCCESSFUL, pack SUCCESSFUL, verify SUCCESSFUL',
  ],
  ['parallel-stages.yml', 'custom/nightly', 'SUCCESSFUL', 'nightly SUCCESSFUL'],
  ['failures.yml', 'default', 'FAILED', 'passes SUCCESSFUL, breaks FAILED, stopped STOPPED, never NOT_RUN'],
  ['failures.yml', 'custom/slow', 'FAILED', 'slow FAILED'],
]

const logOf = (id: string | undefined) => world.emulator.control.step(id ?? '')?.log.lines ?? []

test.each(examples)('%s %s has the documented outcome', async (file, selector, result, expected) => {
  const pipeline = await readPipeline(path.join(folder, file), selector)
  const run = world.emulator.control.runPipeline(pipeline, { repository: 'app', labels: ['self.hosted', 'linux'] })
  const { result: reached, steps } = await run.done
  const log = steps.flatMap(({ id }) => logOf(id))
  expect(steps.map((step) => `${step.name} ${step.result}`).join(', '), log.join('\n')).toBe(expected)
  expect(reached).toBe(result)
  expect(log).not.toContain('never printed')
  if (file === 'failures.yml') expect(log).toContain(selector === 'default' ? 'cleaned after 3' : 'cleaned')
  if (expected.includes('shard'))
    expect([1, 2].map((index) => logOf(steps[index]?.id)[1])).toEqual(['shard 1 of 3', 'shard 2 of 3'])
})

test('every example is in the table', () => {
  expect(readdirSync(folder).sort()).toEqual([...new Set(examples.map(([file]) => file))].sort())
})

test('the runners are idle again, and each one has run a part of the steps', () => {
  const runners = world.emulator.control.runners()
  expect(runners.map(({ status, step }) => [status, step])).toEqual(runners.map(() => ['ONLINE', undefined]))
  expect(runners.every(({ steps }) => steps > 0)).toBe(true)
})
