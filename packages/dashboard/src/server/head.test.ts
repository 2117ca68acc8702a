import { expect, test } from 'vitest'
import { headSentence, totalsOf } from './head.ts'
import { sampleSet, start } from './samples.fixture.ts'

const minute = 60_000
const busy = (count: number) => ({ counts: { starting: 0, idle: 0, busy: count, ending: 0 } })
const problem = { reason: 'image-missing', sentence: 'The node does not have the image.', detail: '', next: '' }
const waits = (count: number, why: string | null, minutes: number) => ({
  ...{ waiting: count, why, oldestQueuedAt: start - minutes * minute },
})

test.each([
  ['no set', [], 'There is no runner set yet.', 'calm'],
  ['rest', [sampleSet('ci/a', busy(40)), sampleSet('ci/b', busy(2))], 'No job waits. 42 run.', 'calm'],
  [
    'one set that waits',
    [sampleSet('ci/gpu', waits(3, 'No node can take the pod: 3 Insufficient cpu.', 4)), sampleSet('ci/b')],
    '3 jobs wait, the longest 4 min: no node can take the pod: 3 Insufficient cpu (set gpu). Nothing else is wrong.',
    'waiting',
  ],
  [
    'the set with a reason comes first, and the longest wait of all counts',
    [sampleSet('ci/a', waits(1, null, 9)), sampleSet('ci/b', { ...waits(2, 'Max is 5, and 5 pods exist.', 2) })],
    '3 jobs wait, the longest 9 min: max is 5, and 5 pods exist (set b, and 1 more). Nothing else is wrong.',
    'waiting',
  ],
  [
    'a problem elsewhere',
    [sampleSet('ci/a', busy(1)), sampleSet('ci/b', { problems: [problem] })],
    'No job waits. 1 runs. Wrong: b (image-missing).',
    'wrong',
  ],
  [
    'a problem that has not happened yet',
    [sampleSet('ci/a', busy(1)), sampleSet('ci/b', { problems: [{ ...problem, ahead: true }] })],
    'No job waits. 1 runs. Soon: b (image-missing).',
    'waiting',
  ],
  [
    'an unknown demand is not zero',
    [sampleSet('ci/a', { waiting: null }), sampleSet('ci/b', busy(3))],
    'No job is known to wait. 3 run. Whether jobs wait is unknown for a.',
    'waiting',
  ],
  [
    'a full set may have jobs at the forge that nobody sees',
    [sampleSet('ci/a', { ...busy(2), why: 'The set is at its maximum of 2, so more jobs may wait at the forge.' })],
    'No job waits. 2 run. The set is at its maximum of 2, so more jobs may wait at the forge (set a).',
    'waiting',
  ],
  [
    'a job that no set can have',
    [sampleSet('ci/a', { ...busy(2), unserved: { count: 1, jobs: [] } })],
    'No job waits for a set. 2 run. 1 job waits for labels that no set has.',
    'waiting',
  ],
  [
    'such jobs beside others',
    [sampleSet('ci/a', { ...waits(1, null, 9), unserved: { count: 7, jobs: [] } })],
    '1 job waits, for 9 min: runners start (set a). 7 jobs wait for labels that no set has.',
    'waiting',
  ],
  [
    'a forge without a queue hides nothing of the others',
    [sampleSet('ci/a', { waiting: null, hasQueue: false }), sampleSet('ci/b', busy(3))],
    'No job waits. 3 run.',
    'calm',
  ],
] as const)('%s', (_name, sets, sentence, tone) => {
  expect(headSentence(sets, start)).toEqual({ sentence, tone })
})

test('one unknown part makes a total unknown', () => {
  const sets = [sampleSet('ci/a', { counts: null }), sampleSet('ci/b', { ...busy(3), ...waits(2, null, 1) })]
  const unknown = { running: null, starting: null, idle: null }
  expect(totalsOf(sets, start)).toEqual({ ...unknown, invalid: 0, waiting: 2, longestWaitMs: minute })
})

test('a set that cannot be read is named, and the totals are those of the others', () => {
  const problems = [{ reason: 'spec-invalid', sentence: 'The set is not valid.', detail: '', next: 'Correct the set.' }]
  const invalid = sampleSet('ci/typo', { isValid: false, waiting: null, counts: null, problems })
  const sets = [invalid, sampleSet('ci/b', busy(3))]
  expect(totalsOf(sets, start)).toMatchObject({ invalid: 1, waiting: 0, running: 3 })
  expect(totalsOf([invalid], start)).toMatchObject({ invalid: 1, waiting: null, running: null })
  expect(headSentence(sets, start)).toEqual({
    sentence: 'No job is known to wait. 3 run. Whether jobs wait is unknown for typo. Wrong: typo (spec-invalid).',
    tone: 'wrong',
  })
})
