import { expect, test } from 'vitest'
import { labelsOfSets } from './jobs.ts'

const labels = (from: number, count: number) => Array.from({ length: count }, (_, index) => `l${from + index}`)

test.each([
  ['no job', [], [[]]],
  ['jobs without labels', [[]], [[]]],
  [
    'jobs with common labels',
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
    [['a', 'b', 'c']],
  ],
  ['more labels than one set may have', [labels(0, 15), labels(15, 6), labels(0, 3)], [labels(0, 15), labels(15, 6)]],
])('%s: each job has a set with all of its labels', (_case, jobs, sets) => {
  expect(labelsOfSets(jobs.map((own) => ({ labels: own })))).toEqual(sets)
})
