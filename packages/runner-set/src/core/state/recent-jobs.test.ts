import { expect, it } from 'vitest'
import { withFinished, withStarted } from './recent-jobs.ts'

const job = (id: string) => ({ id, name: `build ${id}`, repository: 'acme/app' })
const one = withStarted([], { runner: 'r1', job: job('1'), at: 0 }, 2)

it('remembers the runner of each job, the newest first, and forgets the oldest', () => {
  expect(one).toEqual([
    {
      id: '1',
      name: 'build 1',
      repository: 'acme/app',
      runner: 'r1',
      startedAt: '1970-01-01T00:00:00Z',
      result: null,
      finishedAt: null,
    },
  ])
  const two = withStarted(one, { runner: 'r2', job: job('2'), at: 1_000 }, 2)
  const three = withStarted(two, { runner: 'r3', job: job('3'), at: 2_000 }, 2)
  expect(three.map(({ runner }) => runner)).toEqual(['r3', 'r2'])
})

it('takes a message that comes again for the same job', () => {
  expect(withStarted(one, { runner: 'r1', job: job('1'), at: 9_000 }, 2)).toBe(one)
})

it('notes a result once, and only for the runner of the job', () => {
  const done = withFinished(one, { runner: 'r1', result: 'succeeded', at: 5_000 })
  expect(done).toMatchObject([{ result: 'succeeded', finishedAt: '1970-01-01T00:00:05Z' }])
  expect(withFinished(done, { runner: 'r1', result: 'failed', at: 6_000 })).toEqual(done)
  expect(withFinished(one, { runner: 'r2', result: 'failed', at: 6_000 })).toEqual(one)
})

it('cuts a name that would make the status large', () => {
  const [long] = withStarted([], { runner: 'r', job: { ...job('1'), name: 'x'.repeat(1_000) }, at: 0 }, 2)
  expect(long?.name).toHaveLength(200)
})
