// The schedules that Kubernetes reads, and its words for those that it refuses.
import { systemStopwatch } from '@dayfly/kit/system'
import { expect, test } from 'vitest'
import { parseSchedule } from './schedule.ts'

const full = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const oddDays = full(1, 31).filter((day) => day % 2 === 1)

test.each([
  ['5 4 3 2 1', [[5], [4], [3], [2], [1]], false],
  [
    '0,30 0-3 1-31/10 */4 *',
    [
      [0, 30],
      [0, 1, 2, 3],
      [1, 11, 21, 31],
      [1, 5, 9],
      [0, 1, 2, 3, 4, 5, 6],
    ],
    true,
  ],
  ['50/4 22/1 ? JAN,Mar-may mon-FRI', [[50, 54, 58], [22, 23], undefined, [1, 3, 4, 5], [1, 2, 3, 4, 5]], true],
  ['7 7 */1 1 1', [[7], [7], undefined, [1], [1]], true],
  ['7 7 */2 1 1', [[7], [7], oddDays, [1], [1]], false],
  ['@yearly', [[0], [0], [1], [1], undefined], true],
  ['@weekly', [[0], [0], undefined, undefined, [0]], true],
  ['@hourly', [[0], undefined, undefined, undefined, undefined], true],
])('reads %s', (text, [minutes, hours, daysOfMonth, months, daysOfWeek], needsBothDays) => {
  expect(parseSchedule(text)).toEqual({
    is: 'calendar',
    minutes: new Set(minutes),
    hours: new Set(hours ?? full(0, 23)),
    daysOfMonth: new Set(daysOfMonth ?? full(1, 31)),
    months: new Set(months ?? full(1, 12)),
    daysOfWeek: new Set(daysOfWeek ?? full(0, 6)),
    needsBothDays,
  })
})

test.each([
  ['@every 1h30m', 5_400_000],
  ['@every 1.5m', 90_000],
  ['@every 90500ms', 90_000],
  ['@every 0', 1_000],
  ['@every -1h', 1_000],
])('reads %s as an interval of whole seconds', (text, ms) => {
  expect(parseSchedule(text)).toEqual({ is: 'interval', ms })
})

test.each([
  ['', 'expected exactly 5 fields, found 0: []'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['0 * * * * *', 'expected exactly 5 fields, found 6: [0 * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['mon * * * *', 'failed to parse int from mon: strconv.Atoi: parsing "mon": invalid syntax'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
  ['@every 9999999h', 'failed to parse duration @every 9999999h: time: invalid duration "9999999h"'],
])('refuses "%s"', (text, why) => {
  expect(parseSchedule(text)).toEqual({ is: 'invalid', why })
})

test.each([
  ['@every ', '1'],
  ['', '*,'],
  ['', '0-59/2,'],
  ['', '* '],
])('reads a long schedule of "%s" and many "%s" within a second', (begin, part) => {
  const measure = systemStopwatch()
  expect(parseSchedule(begin + part.repeat(1_000_000 / part.length)).is).toBe('invalid')
  expect(measure()).toBeLessThan(1_000)
})
