// The table: the cause, the forge's record of the run, and the budgets decide whether a broken job is repeated.
import { expect, it } from 'vitest'
import type { BrokenJob, ForgeJob } from '../../model/rerun.ts'
import { type RunView, verdictOf } from './verdict.ts'

const endedAt = 1_800_000_000_000
const broken: BrokenJob = {
  runner: 'linux-a',
  name: 'test',
  repository: 'acme/app',
  run: '7',
  cause: 'evicted',
  detail: 'Evicted',
  brokeAt: endedAt - 20_000,
  endedAt,
  ended: false,
  doubtful: false,
  note: undefined,
}
const failed: ForgeJob = {
  id: '1',
  name: 'test',
  runner: 'linux-a',
  attempt: 1,
  state: 'failed',
  failedStep: undefined,
  openStep: 'Run the script',
  finishedAt: endedAt - 1_000,
  sha: 'abc',
}
const open: ForgeJob = { ...failed, state: 'open', finishedAt: undefined }
const other: ForgeJob = { ...open, id: '2', runner: 'linux-b' }
const policy = { perRun: 3, perDay: 100, notify: true }

type Row = readonly [name: string, verdict: string, job: ForgeJob, view?: Partial<RunView>, of?: Partial<BrokenJob>]
const minutes = (count: number) => ({ now: endedAt + count * 60_000 })

const table: readonly Row[] = [
  ['a job without a failed step is repeated', 'repeat', failed],
  ['a job that its dying runner reported as cancelled is repeated', 'repeat', { ...failed, state: 'cancelled' }],
  ['a lost node is on the list', 'repeat', failed, {}, { cause: 'node-lost' }],
  ['the memory of a helper is on the list', 'repeat', failed, {}, { cause: 'helper-out-of-memory' }],
  ['the memory of the runner is not', 'not cause', failed, {}, { cause: 'runner-out-of-memory' }],
  ['a failed step is the job’s own end', 'not own-step', { ...failed, failedStep: 'test' }],
  [
    'also if its runner ran out of memory',
    'not own-step',
    { ...failed, failedStep: 'test' },
    {},
    { cause: 'runner-out-of-memory' },
  ],
  ['a success needs nothing', 'not succeeded', { ...failed, state: 'succeeded' }],
  [
    'a job that was over before the cause began is not repeated',
    'not over-before',
    { ...failed, finishedAt: endedAt - 60_000 },
  ],
  [
    'a cancellation long after the end is a person’s',
    'not cancelled',
    { ...failed, state: 'cancelled', finishedAt: endedAt + 60_000 },
  ],
  [
    'unless Dayfly ended the run',
    'repeat',
    { ...failed, state: 'cancelled', finishedAt: endedAt + 60_000 },
    {},
    { ended: true },
  ],
  ['an open job gets the time to be reported', 'wait', open],
  ['then the run is ended for its dead runner', 'end', open, { now: endedAt + 5_000 }],
  ['once', 'wait', open, { now: endedAt + 5_000 }, { ended: true }],
  ['a run with another open job is never ended', 'wait', open, { jobs: [open, other], ...minutes(60) }],
  ['nor repeated before that job is over', 'wait', failed, { jobs: [failed, other] }],
  ['what GitHub never ends is unknown', 'not unknown', open, minutes(20), { ended: true }],
  [
    'another runner in a later attempt was another client’s repetition',
    'not repeated',
    { ...failed, runner: 'linux-b', attempt: 2 },
  ],
  ['a job that the forge does not show yet may come', 'wait', { ...failed, runner: undefined }],
  ['a run that was repeated often enough is left', 'not run-budget', { ...failed, attempt: 4 }],
  ['one that was repeated once less is not', 'repeat', { ...failed, attempt: 3 }],
  [
    'one of whose jobs was repeated often enough is left',
    'not run-budget',
    failed,
    { jobs: [failed, { ...failed, id: '2', runner: 'linux-b', attempt: 4 }] },
  ],
  [
    'a later attempt of another job shows a repetition, too',
    'not repeated',
    failed,
    {
      jobs: [
        { ...other, attempt: 2 },
        { ...other, id: '3', runner: 'linux-c' },
      ],
    },
  ],
  [
    'a job that ended a second before the cause is repeated',
    'repeat',
    { ...failed, finishedAt: broken.brokeAt - 1_000 },
  ],
  [
    'a cancellation half a minute after the end is still the runner’s',
    'repeat',
    { ...failed, state: 'cancelled', finishedAt: endedAt + 30_000 },
  ],
  ['the budget of the day holds', 'not day-budget', failed, { left: 0 }],
]
const rows = table.map(([name, verdict, job, view = {}, of = {}]) => ({ name, verdict, job, view, of }))

it.each(rows)('$name: $verdict', ({ verdict, job, view, of }) => {
  const found = verdictOf({ ...broken, ...of }, { jobs: [job], policy, left: 1, now: endedAt + 1_000, ...view })
  expect(found.is === 'not' ? `not ${found.why}` : found.is).toBe(verdict)
})
