import { describe, expect, it } from 'vitest'
import type { PodFacts, Runner } from '../../model/runner.ts'
import { job, now, runner } from '../world.fixture.ts'
import { RunnerTable } from './runner-table.ts'

const starting = (name: string, age: number) => runner(name, { createdAt: now - age })
const idle = (name: string, age: number) => runner(name, { createdAt: now - age, startedAt: now })
const delayed = (name: string, since: number): Runner => ({
  ...starting(name, 0),
  delay: { reason: 'unschedulable', message: name, since },
})

function tableOf(runners: readonly Runner[]) {
  const table = new RunnerTable()
  for (const each of runners) table.put(each)
  return table
}

const namesOf = (runners: readonly Runner[]) => runners.map(({ name }) => name).join('')

describe('runners that wait for a job', () => {
  it.each<[string, readonly Runner[], string]>([
    ['starting before idle', [idle('a', 9), starting('b', 1), idle('c', 9), starting('d', 1)], 'bdac'],
    ['the older first', [idle('a', 1), idle('b', 9), idle('c', 5), starting('d', 1), starting('e', 3)], 'edbca'],
    ['then by name', [idle('b', 1), idle('c', 1), idle('a', 1)], 'abc'],
    ['none that is busy or has ended', [runner('a', { startedAt: now }, { job }), idle('b', 1)], 'b'],
    ['none whose pod is only requested', [runner('a', {}, { pod: { is: 'requested', since: now } })], ''],
  ])('are chosen in order: %s', (_name, runners, expected) => {
    expect(namesOf(tableOf(runners).oldestWaiting(9))).toBe(expected)
  })

  it('are no more than asked for, and have no action under way', () => {
    const table = tableOf([idle('a', 9), idle('b', 8), idle('c', 7)])
    table.begin('a')
    expect(namesOf(table.oldestWaiting(1))).toBe('b')
    table.settle('a')
    expect(namesOf(table.oldestWaiting(1))).toBe('a')
    expect(namesOf(tableOf([idle('a', 7), idle('b', 9), idle('c', 8)]).oldestWaiting(2))).toBe('bc')
  })
})

describe('delays', () => {
  it.each<[string, readonly Runner[], string | undefined]>([
    ['of nothing', [starting('a', 1)], undefined],
    ['of a later one', [delayed('a', now), delayed('b', now - 9)], 'b'],
    ['of an earlier one', [delayed('a', now - 9), delayed('b', now)], 'a'],
    ['of the first of two', [delayed('a', now), delayed('b', now)], 'a'],
  ])('show the cause %s', (_name, runners, message) => {
    expect(tableOf(runners).delays()?.oldest.message).toBe(message)
  })

  it('show the next one when the oldest is over', () => {
    const table = tableOf([delayed('a', now - 9), delayed('b', now)])
    expect(table.delays()).toMatchObject({ count: 2, oldest: { message: 'a' } })
    table.remove('a')
    expect(table.delays()).toMatchObject({ count: 1, oldest: { message: 'b' } })
  })
})

describe('causes of a slow start', () => {
  it.each(['start-under-way', 'unschedulable', 'volume-failed'] as const)('%s is shown where it belongs', (reason) => {
    const table = tableOf([{ ...starting('a', 0), delay: { reason, message: 'm', since: now } }])
    const shown = () => [table.underWay()?.count, table.unplaced()?.count, table.delays()?.count]
    expect(shown()).toEqual(
      {
        'start-under-way': [1, undefined, undefined],
        unschedulable: [undefined, 1, 1],
        'volume-failed': [undefined, undefined, 1],
      }[reason],
    )
    table.put(starting('a', 0))
    expect(shown()).toEqual([undefined, undefined, undefined])
  })
})

describe('outdated runners', () => {
  const outdated = (name: string): Runner => ({ ...idle(name, 9), outdated: true })

  it('are those that are idle, the first of them next', () => {
    const busy = runner('c', { startedAt: now }, { job, outdated: true })
    const table = tableOf([idle('a', 9), outdated('b'), busy, outdated('d')])
    expect(table.outdated()).toMatchObject({ count: 2, next: { name: 'b' } })
  })

  it('have no next one while an action on one of them is under way', () => {
    const table = tableOf([outdated('a'), outdated('b'), idle('c', 9)])
    table.begin('c')
    expect(table.outdated()).toMatchObject({ count: 2, next: { name: 'a' } })
    table.begin('b')
    expect(table.outdated()).toEqual({ count: 2, next: undefined })
  })
})

describe('attention', () => {
  const settled = (facts: Partial<PodFacts> = {}) => {
    const table = tableOf([runner('b', facts), runner('a', facts)])
    expect(namesOf(table.takeAttention(now))).toBe('ab')
    expect(namesOf(table.takeAttention(now))).toBe('')
    return table
  }

  it('comes back when a runner is due', () => {
    const table = settled()
    table.lookAgain('a', now + 5)
    expect([table.nextDue(), namesOf(table.takeAttention(now + 4))]).toEqual([now + 5, ''])
    expect([namesOf(table.takeAttention(now + 5)), table.nextDue()]).toEqual(['a', undefined])
  })

  it('has no time for a runner that is gone or has an action under way', () => {
    const table = settled()
    table.begin('a')
    table.lookAgain('a', now + 5)
    table.lookAgain('gone', now + 5)
    expect(table.nextDue()).toBeUndefined()
  })

  it('forgets the time of a runner that is removed, or whose action begins', () => {
    const table = settled()
    for (const name of ['a', 'b']) table.lookAgain(name, now + 5)
    table.remove('a')
    table.begin('b')
    expect(table.nextDue()).toBeUndefined()
  })

  it('comes back when an action is over, also if it changed nothing', () => {
    const table = settled()
    table.begin('a')
    expect(namesOf(table.takeAttention(now))).toBe('')
    table.settle('a')
    expect(namesOf(table.takeAttention(now))).toBe('a')
  })
})
