// The order of the steps of a pipeline, and how a failure or a stop ends it.
import { expect, test } from 'vitest'
import { pipelinesKind } from '../source/kind.ts'
import { checkSource } from '../source/source.ts'
import type { StepResult } from '../step.ts'
import { parsePipeline } from './parse.ts'
import { startPipeline } from './run.ts'

const step = (name: string, more = '') => `{ step: { name: ${name}, script: [make] ${more} } }`
const start = (...items: readonly string[]) => {
  const text = `pipelines: { default: [${items.join(', ')}] }`
  return startPipeline(parsePipeline(checkSource('test.yml', Buffer.from(text), pipelinesKind)))
}
const names = (run: ReturnType<typeof start>) => run.due().map(({ step: { name } }) => name)
const results = (run: ReturnType<typeof start>) => run.outcomes().map(({ name, result }) => `${name} ${result}`)

test('sequential steps follow each other, and the steps of a parallel group are due together with their numbers', () => {
  const run = start(step('a'), `{ parallel: [${step('b')}, ${step('c')}] }`, step('d'))
  expect(names(run)).toEqual(['a'])
  expect([names(run), run.result()]).toEqual([[], undefined])
  run.complete(0, 'SUCCESSFUL')
  expect(run.due()).toMatchObject([{ parallel: { index: 0, count: 2 } }, { parallel: { index: 1, count: 2 } }])
  run.complete(2, 'SUCCESSFUL')
  expect(names(run)).toEqual([])
  run.complete(1, 'SUCCESSFUL')
  expect(run.due()).toMatchObject([{ index: 3, parallel: undefined }])
  run.complete(3, 'SUCCESSFUL')
  expect([names(run), run.result()]).toEqual([[], 'SUCCESSFUL'])
})

test.each<readonly [StepResult, string]>([
  ['FAILED', 'FAILED'],
  ['ERROR', 'ERROR'],
  ['STOPPED', 'STOPPED'],
])('a step with %s stops the later ones, and the pipeline has that result', (result, expected) => {
  const run = start(step('a'), `{ stage: { name: s, steps: [${step('b')}, ${step('c')}] } }`)
  run.due()
  run.complete(0, 'SUCCESSFUL')
  expect(names(run)).toEqual(['b'])
  run.complete(1, result)
  expect([names(run), run.result()]).toEqual([[], expected])
  expect(run.outcomes()[2]).toEqual({ name: 'c', stage: 's', result: 'NOT_RUN' })
})

test('without fail-fast the other steps of a failed group go on to their end', () => {
  const run = start(`{ parallel: [${step('a')}, ${step('b')}] }`, step('c'))
  run.due()
  run.complete(0, 'FAILED')
  expect([run.stops(), run.result()]).toEqual([[], undefined])
  run.complete(1, 'SUCCESSFUL')
  expect(run.result()).toBe('FAILED')
  expect(results(run)).toEqual(['a FAILED', 'b SUCCESSFUL', 'c NOT_RUN'])
})

test('with fail-fast a failure stops the other steps of its group once, unless the failed step turns it off', () => {
  const group = `steps: [${step('a')}, ${step('b')}, ${step('c', ', fail-fast: false')}]`
  const run = start(`{ parallel: { fail-fast: true, ${group} } }`)
  run.due()
  run.complete(2, 'FAILED')
  expect(run.stops()).toEqual([])
  run.complete(0, 'FAILED')
  expect([run.stops(), run.stops(), run.result()]).toEqual([[1], [], undefined])
  run.complete(1, 'STOPPED')
  expect(run.result()).toBe('FAILED')
})

test('a stop ends the queued steps and queues no other', () => {
  const run = start(step('a'), step('b'))
  run.due()
  run.stop()
  expect([run.stops(), run.result()]).toEqual([[0], undefined])
  run.complete(0, 'STOPPED')
  expect([names(run), run.result()]).toEqual([[], 'STOPPED'])
  expect(results(run)).toEqual(['a STOPPED', 'b NOT_RUN'])
})

test('a step that passes although it was to stop ends the run as stopped, and a late second result changes nothing', () => {
  const run = start(step('a'), step('b'))
  run.due()
  run.stop()
  run.complete(0, 'SUCCESSFUL')
  run.complete(0, 'FAILED')
  expect(run.result()).toBe('STOPPED')
})
