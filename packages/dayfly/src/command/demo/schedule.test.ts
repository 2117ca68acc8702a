import { workflowKind } from '@dayfly/forge-emulators/source/kind'
import { checkSource } from '@dayfly/forge-emulators/source/source'
import { parseWorkflowSource } from '@dayfly/forge-emulators/workflow/parse'
import { describe, expect, test } from 'vitest'
import { countJobs, scheduleRuns } from './schedule.ts'

const workflow = (name: string, jobs: string) =>
  parseWorkflowSource(checkSource(name, Buffer.from(`name: ${name}\non: push\njobs:\n${jobs}`), workflowKind))
const job = (key: string, more = '') => `  ${key}:\n    runs-on: x\n${more}    steps: [{ run: 'true' }]\n`
const matrix = (value: string) => `    strategy: { matrix: ${value} }\n`

const one = await workflow('one', job('a'))
const three = await workflow('three', job('a', matrix('{ os: [a, b], node: [1], include: [{ os: c }] }')))
const names = (runs: readonly { readonly workflow: { readonly name: string } }[]) =>
  runs.map((run) => run.workflow.name).join(' ')
const inputs = [{ workflow: one }, { workflow: three }]
const size = (input: { readonly workflow: typeof one }) => countJobs(input.workflow)

describe('countJobs', () => {
  test('counts the jobs of a matrix', async () => {
    expect(countJobs(one)).toBe(1)
    expect(countJobs(three)).toBe(3)
  })

  test('counts a matrix from an expression as one job', async () => {
    const dynamic = await workflow(
      'dynamic',
      job('a') + job('b', `    needs: a\n${matrix(`"\${{ fromJSON('[]') }}"`)}`),
    )
    expect(countJobs(dynamic)).toBe(2)
  })
})

describe('the schedule', () => {
  test('runs each workflow once if no number is given', () => {
    expect(names(scheduleRuns(inputs, undefined, size))).toBe('one three')
  })

  test.each([
    [1, 'one'],
    [2, 'one one'],
    [4, 'one three'],
    [9, 'one three one three one'],
  ])('contains exactly %i jobs if a small workflow fills the rest: %s', (jobs, runs) => {
    expect(names(scheduleRuns(inputs, jobs, size))).toBe(runs)
  })

  test('never contains fewer jobs than requested', () => {
    expect(names(scheduleRuns([{ workflow: three }], 7, size))).toBe('three three three')
  })
})
