import { describe, expect, it } from 'vitest'
import type { FailureReason } from '../../model/failure.ts'
import { limits, now } from '../world.fixture.ts'
import { failedStart, isOfTemplate, noHistory, recentFailures, remember, succeeded } from './history.ts'

const second = 1_000
const fail = (history = noHistory, at = now, begunAt = at - second, reason: FailureReason = 'image-missing') =>
  failedStart(history, { failure: { reason, message: 'x' }, runner: 'a', at, begunAt, key: 'set' }, limits)
const waitOf = (history: typeof noHistory, at = now) => (history.retryAt ?? 0) - at

describe('failed starts in a row', () => {
  it('double the wait each round, up to the cap', () => {
    let history = noHistory
    let at = now
    const waits: number[] = []
    for (let round = 0; round < 12; round++) {
      history = fail(history, at)
      waits.push(waitOf(history, at))
      at = (history.retryAt ?? 0) + 30 * second
    }
    for (const [index, wait] of waits.entries()) {
      const ceiling = Math.min(300 * second, 2 * second * 2 ** index)
      expect(wait).toBeGreaterThanOrEqual(ceiling / 2)
      expect(wait).toBeLessThanOrEqual(ceiling)
    }
    expect(history).toMatchObject({ failuresInARow: 12, rounds: 12 })
  })

  it('are one round when the runners were starting together', () => {
    const begun = now - 30 * second
    let history = fail(noHistory, now, begun)
    for (let other = 1; other < 20; other++) history = fail(history, now + other, begun)
    expect(history).toMatchObject({ failuresInARow: 20, rounds: 1 })
    expect(waitOf(history, now + 19)).toBeLessThanOrEqual(2 * second)
    history = fail(history, now + 60 * second, now + 40 * second)
    expect(history).toMatchObject({ failuresInARow: 21, rounds: 2 })
  })

  it('are one round when the next runner was requested at the moment of the failure', () => {
    expect(fail(fail(), now + second, now)).toMatchObject({ failuresInARow: 2, rounds: 1 })
    expect(fail(fail(), now + second, now + 1)).toMatchObject({ failuresInARow: 2, rounds: 2 })
  })

  it('are a first round after a success, whenever the runner was requested', () => {
    expect(fail(succeeded(fail()), now + second, now - second)).toMatchObject({ failuresInARow: 1, rounds: 1 })
  })

  it('never bring a start forward', () => {
    const late = { ...fail(), retryAt: now + 200 * second }
    expect(fail(late, now + 1, now).retryAt).toBe(now + 200 * second)
  })

  it('are over after a success', () => {
    expect(succeeded(fail())).toMatchObject({ failuresInARow: 0, rounds: 0, retryAt: undefined })
  })

  it('are forgotten after a time without another', () => {
    const history = fail(fail())
    expect(recentFailures(history, limits, now + limits.failureMemoryMs)).toBe(2)
    expect(recentFailures(history, limits, now + limits.failureMemoryMs + 1)).toBe(0)
    expect(fail(history, now + limits.failureMemoryMs + 1)).toMatchObject({ failuresInARow: 1, rounds: 1 })
    expect(fail(history, now + limits.failureMemoryMs)).toMatchObject({ failuresInARow: 3 })
  })

  it('block the set for a reason that no runner can avoid, also after a success', () => {
    const history = fail(noHistory, now, now, 'image-invalid')
    expect(history).toMatchObject({ blocked: { reason: 'image-invalid' }, retryAt: undefined })
    expect(succeeded(history).blocked).toBeDefined()
    expect(fail(history, now + 1, now + 1).blocked).toMatchObject({ reason: 'image-invalid' })
  })
})

it('shows the last failure without counting it', () => {
  const history = remember(noHistory, { reason: 'evicted', message: 'm' }, 'a', now)
  expect(history).toEqual({ ...noHistory, last: { reason: 'evicted', message: 'm', at: now, runner: 'a' } })
})

it.each<[FailureReason, boolean]>([
  ['template-invalid', true],
  ['quota-exceeded', true],
  ['image-missing', false],
  ['forge-unauthorized', false],
])('%s is of the template: %s', (reason, expected) => {
  expect(isOfTemplate({ reason, message: '' })).toBe(expected)
})
