import { expect, it } from 'vitest'
import type { ScheduleWindow } from '../model/schedule.ts'
import { Minimums, minimumOf, minimumText } from './schedule.ts'

const time = (hours: number, minutes = 0) => hours * 60 + minutes
const window = (over: Partial<ScheduleWindow> = {}): ScheduleWindow => ({
  name: undefined,
  timeZone: 'Europe/Berlin',
  days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
  from: time(7, 30),
  to: time(19),
  min: 12,
  ...over,
})
const sunday: Partial<ScheduleWindow> = { days: ['Sun'] }
const night = window({ days: ['Fri'], from: time(22), to: time(6), min: 3 })

/** In Berlin the clock skips from 02:00 to 03:00 on 28 March 2027, and shows 02:00 to 03:00 twice on 31 October 2027. */
it.each<[string, readonly ScheduleWindow[], string, number, string | undefined]>([
  ['before a window', [window()], '2027-01-04T06:29:59Z', 1, '2027-01-04T06:30:00Z'],
  ['at the begin of a window', [window()], '2027-01-04T06:30:00Z', 12, '2027-01-04T18:00:00Z'],
  ['at the end of a window', [window()], '2027-01-04T18:00:00Z', 1, '2027-01-05T06:30:00Z'],
  ['on a day without the window', [window()], '2027-01-09T10:00:00Z', 1, '2027-01-11T06:30:00Z'],
  ['in summer, an hour earlier', [window()], '2027-07-05T05:30:00Z', 12, '2027-07-05T17:00:00Z'],
  [
    'after midnight of a window that began on the day before',
    [night],
    '2027-01-09T04:59:00Z',
    3,
    '2027-01-09T05:00:00Z',
  ],
  ['after midnight of the first day of such a window', [night], '2027-01-08T04:59:00Z', 1, '2027-01-08T21:00:00Z'],
  [
    'a window of one whole day',
    [window({ ...sunday, from: 0, to: 0 })],
    '2027-01-03T22:59:00Z',
    12,
    '2027-01-03T23:00:00Z',
  ],
  [
    'a window of every day and hour',
    [window({ days: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'], from: 0, to: 0 })],
    '2027-01-03T22:59:00Z',
    12,
    undefined,
  ],
  [
    'the highest of several windows',
    [window({ min: 4 }), window({ min: 9, to: time(12) })],
    '2027-01-04T10:00:00Z',
    9,
    '2027-01-04T11:00:00Z',
  ],
  [
    'a lower window that ends within a higher one changes nothing',
    [window({ min: 9 }), window({ min: 4, to: time(12) })],
    '2027-01-04T10:00:00Z',
    9,
    '2027-01-04T18:00:00Z',
  ],
  ['a window may lower the number', [window({ min: 0 })], '2027-01-04T10:00:00Z', 0, '2027-01-04T18:00:00Z'],
  [
    'a begin that the clock skips is the end of the gap',
    [window({ ...sunday, from: time(2, 20), to: time(5) })],
    '2027-03-28T00:59:59Z',
    1,
    '2027-03-28T01:00:00Z',
  ],
  [
    'an end that the clock skips is the end of the gap',
    [window({ ...sunday, from: time(1), to: time(2, 20) })],
    '2027-03-28T00:59:59Z',
    12,
    '2027-03-28T01:00:00Z',
  ],
  [
    'a window that the clock skips does not exist',
    [window({ ...sunday, from: time(2, 10), to: time(2, 50) })],
    '2027-03-28T00:59:59Z',
    1,
    '2027-04-04T00:10:00Z',
  ],
  [
    'a begin that exists twice is the first one',
    [window({ ...sunday, from: time(2, 30), to: time(5) })],
    '2027-10-31T00:30:00Z',
    12,
    '2027-10-31T04:00:00Z',
  ],
  [
    'an end that exists twice is the last one',
    [window({ ...sunday, from: time(1), to: time(2, 30) })],
    '2027-10-31T01:29:59Z',
    12,
    '2027-10-31T01:30:00Z',
  ],
  [
    'a zone in which it is another day',
    [window({ timeZone: 'Pacific/Auckland', days: ['Mon'] })],
    '2027-01-03T18:30:00Z',
    12,
    '2027-01-04T06:00:00Z',
  ],
  [
    'a change of the clocks by half an hour',
    [window({ ...sunday, timeZone: 'Australia/Lord_Howe', from: time(2, 10), to: time(4) })],
    '2027-10-02T15:29:59Z',
    1,
    '2027-10-02T15:30:00Z',
  ],
])('%s', (_, schedule, now, min, until) => {
  const minimum = minimumOf({ min: 1, max: 20, schedule }, Date.parse(now))
  expect([minimum.min, minimum.until]).toEqual([min, until && Date.parse(until)])
})

it('finds the next change of a scale that was asked for before', () => {
  const scale = { min: 1, max: 20, schedule: [window()] }
  const minimums = new Minimums()
  const minAt = (at: string) => minimums.at(scale, Date.parse(at)).min
  const times = ['2027-01-04T06:00:00Z', '2027-01-04T06:30:00Z', '2027-01-04T17:59:59Z', '2027-01-04T18:00:00Z']
  expect([...times, '2027-01-04T06:30:00Z'].map(minAt)).toEqual([1, 12, 12, 1, 12])
  expect(minimums.at({ ...scale, schedule: [window({ min: 5 })] }, Date.parse('2027-01-04T06:30:00Z')).min).toBe(5)
})

it('names the window and its end', () => {
  const scale = { min: 1, max: 20, schedule: [window({ name: 'office' })] }
  const textAt = (at: string) => minimumText(minimumOf(scale, Date.parse(at)))
  expect(textAt('2027-01-04T06:00:00Z')).toBeUndefined()
  const expected = 'window office, 07:30 to 19:00 Europe/Berlin, until 2027-01-04T18:00:00Z'
  expect(textAt('2027-01-04T10:00:00Z')).toBe(expected)
})
