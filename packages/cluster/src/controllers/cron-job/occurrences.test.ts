// The times of schedules: calendars, time zones, changes of the clock, and starts that were missed.
import { timestamp } from '@dayfly/kit/timestamp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSchedule } from '../../api/cron/schedule.ts'
import { timeZoneOf } from '../../api/cron/time-zone.ts'
import { missedStart, nextOccurrence, type Timetable } from './occurrences.ts'

function timetable(text: string, zone = 'UTC'): Timetable {
  const [schedule, found] = [parseSchedule(text), timeZoneOf(zone)]
  if (schedule.is === 'invalid' || found === undefined) throw new Error(`${text} in ${zone}`)
  return { schedule, zone: found }
}

/** Returns the next times in UTC without seconds, for example `2026-01-01 00:00`. */
function times(from: string, table: Timetable, count = 3): readonly string[] {
  const found: string[] = []
  let at: number | undefined = Date.parse(from)
  while (found.length < count) {
    at = nextOccurrence(table, at)
    if (at === undefined) return [...found, 'never']
    found.push(timestamp(at).replace('T', ' ').slice(0, 16))
  }
  return found
}

test.each([
  ['* * * * *', '2026-01-01T00:00:00Z', ['2026-01-01 00:01', '2026-01-01 00:02', '2026-01-01 00:03']],
  ['* * * * *', '2026-01-01T00:00:59.999Z', ['2026-01-01 00:01', '2026-01-01 00:02', '2026-01-01 00:03']],
  ['30 3 * * *', '2026-12-31T03:30:00Z', ['2027-01-01 03:30', '2027-01-02 03:30', '2027-01-03 03:30']],
  ['0 0 31 * *', '2026-01-31T00:00:00Z', ['2026-03-31 00:00', '2026-05-31 00:00', '2026-07-31 00:00']],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29 00:00', '2032-02-29 00:00', '2036-02-29 00:00']],
  ['0 0 13 * fri', '2026-03-01T00:00:00Z', ['2026-03-06 00:00', '2026-03-13 00:00', '2026-03-20 00:00']],
  ['0 0 13 * *', '2026-03-01T00:00:00Z', ['2026-03-13 00:00', '2026-04-13 00:00', '2026-05-13 00:00']],
  ['0 0 * * fri', '2026-03-01T00:00:00Z', ['2026-03-06 00:00', '2026-03-13 00:00', '2026-03-20 00:00']],
  ['0 0 */13 * fri', '2026-03-01T00:00:00Z', ['2026-03-06 00:00', '2026-03-13 00:00', '2026-03-14 00:00']],
  ['0 0 30 2 *', '2026-01-01T00:00:00Z', ['never']],
  [', * * * *', '2026-01-01T00:00:00Z', ['never']],
  // 2100 is no leap year, and the search ends after five years.
  ['0 0 29 2 *', '2096-03-01T00:00:00Z', ['never']],
  ['@every 90s', '2026-01-01T00:00:30.5Z', ['2026-01-01 00:02', '2026-01-01 00:03', '2026-01-01 00:05']],
])('%s after %s', (text, from, expected) => {
  expect(times(from, timetable(text))).toEqual(expected)
})

test.each([
  // The clock goes forward from 02:00 to 03:00 at 01:00 UTC: the local 02:30 does not exist.
  ['30 2 * * *', '2026-03-28T00:00:00Z', ['2026-03-28 01:30', '2026-03-30 00:30', '2026-03-31 00:30']],
  ['0 * * * *', '2026-03-28T23:30:00Z', ['2026-03-29 00:00', '2026-03-29 01:00', '2026-03-29 02:00']],
  // The clock goes back from 03:00 to 02:00 at 01:00 UTC: the local 02:30 comes twice.
  ['30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25 00:30', '2026-10-25 01:30', '2026-10-26 01:30']],
  ['0 * * * *', '2026-10-24T23:30:00Z', ['2026-10-25 00:00', '2026-10-25 01:00', '2026-10-25 02:00']],
  ['0 0 1 * *', '2026-01-15T00:00:00Z', ['2026-01-31 23:00', '2026-02-28 23:00', '2026-03-31 22:00']],
])('%s in Berlin after %s', (text, from, expected) => {
  expect(times(from, timetable(text, 'Europe/Berlin'))).toEqual(expected)
})

test.each([
  ['Asia/Kolkata', ['2025-12-31 18:30', '2026-01-01 18:30', '2026-01-02 18:30']],
  ['Pacific/Kiritimati', ['2025-12-31 10:00', '2026-01-01 10:00', '2026-01-02 10:00']],
  ['America/Anchorage', ['2025-12-31 09:00', '2026-01-01 09:00', '2026-01-02 09:00']],
])('midnight in %s', (zone, expected) => {
  expect(times('2025-12-31T08:59:59Z', timetable('0 0 * * *', zone))).toEqual(expected)
})

test('a midnight that a change of the clock skips does not come', () => {
  // Havana: the clock goes from 00:00 to 01:00 on 8 March 2026.
  const table = timetable('0 0 * * *', 'America/Havana')
  expect(times('2026-03-07T12:00:00Z', table, 2)).toEqual(['2026-03-09 04:00', '2026-03-10 04:00'])
})

test('each time matches the schedule, and none between two of them does', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']
  const year = { min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2026-12-31T00:00:00Z') }
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer(year),
      fc.nat(59),
      fc.integer({ min: 0, max: 5 }),
      (zone, at, minute, hour) => {
        const table = timetable(`${minute} ${hour} * * *`, zone)
        const next = nextOccurrence(table, at) ?? 0
        const matches = (instant: number): boolean => {
          const local = new Date(instant + table.zone.offsetMs(instant))
          return local.getUTCMinutes() === minute && local.getUTCHours() === hour
        }
        expect(matches(next)).toBe(true)
        const first = Math.floor(at / 60_000 + 1) * 60_000
        for (let other = first; other < next; other += 60_000) if (matches(other)) throw new Error(timestamp(other))
      },
    ),
    { numRuns: 30 },
  )
})

test.each([
  ['* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:00:59Z', undefined],
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', { at: '2026-01-01T00:01:00Z', isOneOfMany: false }],
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:40:59Z', { at: '2026-01-01T01:40:00Z', isOneOfMany: false }],
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:41:00Z', { at: '2026-01-01T01:41:00Z', isOneOfMany: true }],
  ['0 3 * * 1', '2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', { at: '2025-12-29T03:00:00Z', isOneOfMany: true }],
  ['0 3 29 2 *', '2024-01-01T00:00:00Z', '2026-01-01T00:00:00Z', { at: '2024-02-29T03:00:00Z', isOneOfMany: false }],
  ['0 3,5 1 1 *', '2025-01-01T02:00:00Z', '2025-06-01T00:00:00Z', { at: '2025-01-01T05:00:00Z', isOneOfMany: true }],
  ['0 0 30 2 *', '2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', undefined],
  ['@every 1h', '2026-01-01T00:30:00Z', '2026-01-01T05:00:00Z', { at: '2026-01-01T04:30:00Z', isOneOfMany: false }],
])('%s since %s, at %s', (text, since, now, expected) => {
  const missed = missedStart(timetable(text), Date.parse(since), Date.parse(now))
  expect(missed && { ...missed, at: timestamp(missed.at) }).toEqual(expected)
})
