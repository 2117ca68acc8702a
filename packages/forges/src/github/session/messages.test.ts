import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field, instantField, integerField, wireList } from '../calls/wire.ts'
import { readEnvelope, readMessage, readStatistics } from './messages.ts'

test('reads any message without throwing, and never takes unknown for zero', () => {
  const job = fc.record({ messageType: fc.constantFrom('JobStarted', 'jobassigned', 'x'), jobId: fc.jsonValue() })
  const body = fc.oneof(
    fc.string(),
    fc.jsonValue(),
    fc.json(),
    fc.array(job).map((jobs) => JSON.stringify(jobs)),
  )
  const messageType = fc.oneof(fc.constant('RunnerScaleSetJobMessages'), fc.jsonValue())
  const message = fc.record({
    messageId: fc.oneof(fc.nat(), fc.jsonValue()),
    messageType,
    body,
    statistics: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.oneof(message, fc.jsonValue()), (value) => {
      const read = readMessage(value)
      if (read) expect(read.id).toBeGreaterThan(0)
      if (read?.statistics) expect(Number.isSafeInteger(read.statistics.assignedJobs)).toBe(true)
    }),
  )
})

test.each([
  ['{"messageId":9007199254740993,"body":"[]"}', '9007199254740993'],
  ['{"messageId": "9007199254740993"}', '9007199254740993'],
  ['{"messageid":007,"body":', '7'],
  ['{"messageId":5', undefined],
  ['{"messageId":5.5,"body":"[]"}', undefined],
  ['{"messageId":-5}', undefined],
  ['{"messageId":0}', undefined],
  ['{"body":"[{\\"messageId\\":5,', undefined],
  ['<html>', undefined],
])('the unreadable text %s has the exact message id %s', (text, messageId) => {
  expect(readEnvelope({ kind: 'text', text })).toMatchObject({ is: 'unreadable', messageId })
})

test('an unreadable text is quoted without tokens', () => {
  const { why } = readEnvelope({ kind: 'text', text: 'Bearer ghp_secretsecret' }) as { why: string }
  expect(why).toBe('not JSON: Bearer [token]')
})

test.each([
  [{}, undefined],
  [null, undefined],
  [{ totalRunningJobs: 3 }, undefined],
  [{ totalAssignedJobs: -1 }, undefined],
  [{ totalAssignedJobs: 1.5 }, undefined],
  [{ totalassignedjobs: '7' }, 7],
  [{ totalAssignedJobs: 0 }, 0],
])('statistics %j mean %s assigned jobs', (value, jobs) => {
  expect(readStatistics(value)?.assignedJobs).toBe(jobs)
})

test.each([
  ['0001-01-01T00:00:00Z', undefined],
  ['0001-01-01T00:00:00', undefined],
  [null, undefined],
  ['soon', undefined],
  [7, undefined],
  ['2026-05-05T16:27:43.1234567Z', Date.parse('2026-05-05T16:27:43.123Z')],
  ['2026-05-05T18:27:43+02:00', Date.parse('2026-05-05T16:27:43Z')],
])('the time %j is %s', (value, instant) => {
  expect(instantField({ at: value }, 'At')).toBe(instant)
})

test('the exact key wins, and nothing is read from prototypes', () => {
  expect(field({ NAME: 1, name: 2 }, 'name')).toBe(2)
  expect(field({}, 'constructor')).toBeUndefined()
  expect(integerField({ ID: '9007199254740993' }, 'id')).toBeUndefined()
})

test('case 29: the array decides whether a list is complete, and a list that is too short is rejected', () => {
  expect(wireList({ count: 0, value: [{ id: 1 }] })).toEqual([{ id: 1 }])
  expect(wireList({ count: 1, value: [{ id: 1 }, { id: 2 }] })).toHaveLength(2)
  expect(wireList({ count: 2, value: [{ id: 1 }] })).toBeUndefined()
  expect(wireList({ count: 0, value: null })).toEqual([])
  expect(wireList({ count: 1, value: [] })).toBeUndefined()
  expect(wireList({ count: 1, value: [1] })).toBeUndefined()
  expect(wireList({ value: {} })).toBeUndefined()
  expect(wireList({})).toBeUndefined()
  expect(wireList({ count: 0 })).toEqual([])
  expect(wireList([])).toBeUndefined()
})
