// Tests when a life is in memory, and when it is over.
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { expect, it } from 'vitest'
import { goodLife, job, of } from '../one-life.fixture.ts'
import type { RunnerEvent } from './follow.ts'
import type { Life } from './life.ts'
import { Lives } from './lives.ts'

function open(max?: number) {
  const clock = virtualClock()
  const over: Life[] = []
  let dropped = 0
  const onDropped = () => {
    dropped++
  }
  const lives = new Lives({
    clock,
    onOver: (life) => over.push(life),
    onDropped,
    ...(max === undefined ? {} : { max }),
  })
  const take = (event: JournalEvent, runner: string = of.runner) =>
    lives.take({ ...(event as RunnerEvent), runner }, clock.now())
  const live = (...leftOut: readonly JournalEvent['kind'][]) => {
    for (const [, event] of goodLife) if (!leftOut.includes(event.kind)) take(event)
  }
  return { clock, lives, over, take, live, dropped: () => dropped }
}

it('ends a life after the moment in which its runner is gone', async () => {
  const { clock, over, live, lives } = open()
  live()
  expect(over).toEqual([])
  await clock.advance(1_000)
  expect(over).toHaveLength(1)
  expect(lives.size).toBe(0)
  expect(clock.next()).toBeUndefined()
})

it('waits for the end of a job that is reported late', async () => {
  const { clock, over, live, take } = open()
  live('job-finished')
  await clock.advance(3_000)
  expect(over).toEqual([])
  take({ ...of, kind: 'job-finished', job: job.id, result: 'failed' })
  await clock.advance(1_000)
  expect(over).toMatchObject([{ jobs: [{ result: 'failed' }] }])
})

it('waits at most five seconds', async () => {
  const { clock, over, live } = open()
  live('job-started', 'job-finished')
  await clock.advance(4_000)
  expect(over).toEqual([])
  await clock.advance(2_000)
  expect(over).toHaveLength(1)
})

it('has the reason of a refused start, which follows its end', async () => {
  const { clock, over, take } = open()
  take({ ...of, kind: 'runner-gone', because: 'removed' })
  take({ ...of, kind: 'start-refused', failure: { reason: 'image-missing', message: '' } })
  await clock.advance(1_000)
  expect(over).toMatchObject([{ problems: [{ reason: 'image-missing' }] }])
})

it('begins no life with an event that follows the end of one', async () => {
  const { clock, lives, live, take } = open()
  live()
  await clock.advance(10_000)
  for (const [, event] of goodLife.filter(([, { kind }]) => /^job|online|ended|gone/.test(kind))) take(event)
  take({ ...of, kind: 'runner-failed', failure: { reason: 'runner-failed', message: '' } })
  expect(lives.size).toBe(0)
})

it('drops the oldest life if too many are open, and counts it', () => {
  const { lives, take, dropped } = open(3)
  const created: JournalEvent = { ...of, kind: 'pod-created', uid: 'u' }
  for (const runner of ['a', 'b', 'c', 'd', 'e']) take(created, runner)
  expect(lives.size).toBe(3)
  expect(dropped()).toBe(2)
  expect(take({ ...of, kind: 'runner-online' }, 'b')).toBeUndefined()
  expect(take({ ...of, kind: 'runner-online' }, 'c')).toBeDefined()
})

it('forgets the open lives of a deleted set, and no others', () => {
  const { lives, take, dropped } = open()
  take({ ...of, kind: 'pod-created', uid: 'u' }, 'a')
  take({ ...of, set: 'windows', kind: 'pod-created', uid: 'u' }, 'b')
  lives.forget(of.namespace, of.set)
  expect(take({ ...of, kind: 'runner-online' }, 'a')).toBeUndefined()
  expect([lives.size, dropped()]).toEqual([1, 0])
})

it('bounds the jobs and the delays of one life', () => {
  const { take } = open()
  take({ ...of, kind: 'pod-created', uid: 'u' })
  for (let index = 0; index < 100; index++) {
    take({ ...of, kind: 'job-started', job: { ...job, id: String(index) }, queuedMs: undefined })
    take({ ...of, kind: 'runner-delayed', failure: { reason: 'image-missing', message: '' }, since: 0 })
  }
  const life = take({ ...of, kind: 'runner-online' })
  expect([life?.jobs.length, life?.problems.length]).toEqual([32, 32])
})

it('ends what is gone at its own end, and forgets what is open', () => {
  const { clock, lives, live, over, take } = open()
  live()
  take({ ...of, kind: 'pod-created', uid: 'u' }, 'another')
  lives.close()
  expect(over).toHaveLength(1)
  expect(lives.size).toBe(0)
  expect(clock.next()).toBeUndefined()
})
