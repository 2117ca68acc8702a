import type { Entry } from '@dayfly/runner-set/model/event'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { goodLife, namedJob, opened } from './history.fixture.ts'
import { historyBounds } from './history.ts'

const inOrder = ['registered', 'created', 'started', 'online', 'jobStarted', 'jobFinished', 'ended', 'gone'] as const
const whole = opened()
for (const entry of goodLife()) whole.history.take(entry)
const expected = whole.life()

it('knows the right steps for any part of the events, in any order, any number of times', () => {
  const events = fc.array(fc.constantFrom(...goodLife()), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(events, (entries) => {
      const { history, life } = opened()
      for (const entry of entries) history.take(entry)
      const steps = life()?.steps
      for (const [name, at] of Object.entries(steps ?? {})) {
        // A job that starts shows that the runner is online, also if that event is missing.
        const right =
          name === 'online' ? [expected?.steps.online, expected?.steps.jobStarted] : [expected?.steps[name as 'gone']]
        if (at !== null) expect(right).toContain(at)
      }
    }),
  )
})

it('never has a negative duration, for any times and order of the events', () => {
  const entry = fc.tuple(fc.constantFrom(...goodLife()), fc.integer({ min: -90, max: 90 }))
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 25 }), (entries) => {
      const { history, life } = opened()
      for (const [{ at, event }, shift] of entries) history.take({ at: at + shift * 1_000, event })
      const steps = life()?.steps
      const known = inOrder.flatMap((name) => steps?.[name] ?? [])
      expect(known).toEqual(known.toSorted((one, next) => one - next))
      expect((steps?.jobStarted ?? 0) - (steps?.queued ?? 0)).toBeGreaterThanOrEqual(0)
    }),
  )
})

it('keeps its bounds, and finds each job that it lists, after any events', () => {
  const lives = ['a', 'b', 'c', 'd', 'e'].map((runner) => goodLife(runner, 0, namedJob(runner)))
  const waits: readonly Entry[] = goodLife().flatMap(({ at, event }) =>
    event.kind === 'job-started'
      ? ['a', 'x', 'y', 'z'].map((id) => ({
          at,
          event: { kind: 'job-waits', namespace: 'ci', set: 'linux', job: namedJob(id), queuedAt: at } as const,
        }))
      : [],
  )
  const events = fc.array(fc.constantFrom(...lives.flat(), ...waits), { maxLength: 80 })
  fc.assert(
    fc.property(events, (entries) => {
      const { history } = opened({ ...historyBounds, endedOfSet: 2, waiting: 2 })
      for (const entry of entries) history.take(entry)
      const shown = [...history.lives()]
      expect(shown.filter(({ phase }) => phase === 'gone').length).toBeLessThanOrEqual(2)
      expect(history.jobs().length).toBeLessThanOrEqual(2)
      for (const { id, job } of shown) if (job) expect(history.lifeOfJob(job.id)?.id).toBe(id)
    }),
  )
})
