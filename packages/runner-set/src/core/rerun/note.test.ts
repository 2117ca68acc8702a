// The message to the author of a commit about a broken job.
import { expect, it } from 'vitest'
import type { Settled } from '../../model/rerun.ts'
import { runnerSet } from '../world.fixture.ts'
import { noteOf } from './note.ts'
import { brokenJob, failedJob } from './rerun.fixture.ts'

const limited = runnerSet({
  template: {
    spec: { containers: [{ name: 'docker' }, { name: 'runner', resources: { limits: { memory: '2Gi' } } }] },
  },
})
const textOf = (
  settled: Settled,
  job = failedJob('x'),
  cause: 'evicted' | 'runner-out-of-memory' = 'evicted',
  set = limited,
) => noteOf(brokenJob('x', { cause }), settled, job, set)?.text

it('names the cause, the step, the consequence and the observation', () => {
  expect(textOf('by-dayfly')).toBe(
    'The pod of the runner was evicted from its node during the step "script". Dayfly has repeated the job, and you need to do nothing.\n\nObserved at runner x: Evicted',
  )
})

it('names the limit of a job that needs more memory, and what to do', () => {
  expect(textOf('cause', failedJob('x'), 'runner-out-of-memory')).toMatch(
    /^The job needed more memory than its runner has \(2Gi\) during the step "script"\. .*would fail again\. In the workflow, name a set/,
  )
  expect(textOf('cause', failedJob('x'), 'runner-out-of-memory', runnerSet())).toMatch(/than its runner has during/)
})

it('names the step that failed if none is open, and none if the forge shows none', () => {
  expect(textOf('by-dayfly', failedJob('x', { openStep: undefined, failedStep: 'build' }))).toContain(
    'the step "build"',
  )
  expect(textOf('by-dayfly', failedJob('x', { openStep: undefined }))).toMatch(/from its node\. Dayfly/)
})

it.each<[Settled, boolean]>([
  ['run-budget', true],
  ['day-budget', true],
  ['succeeded', false],
  ['repeated', false],
])('after %s the author needs a word: %s', (settled, needsWord) => {
  expect(textOf(settled) !== undefined).toBe(needsWord)
  expect(noteOf(brokenJob('x'), settled, undefined, limited)).toBeUndefined()
})
