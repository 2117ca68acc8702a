import fc from 'fast-check'
import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1)
const maxMs = 3_600_000
const wait = (retryAfter: string, date?: string) =>
  retryAfterMs({ 'retry-after': retryAfter, ...(date === undefined ? {} : { date }) }, now, { maxMs })
const httpDate = (at: number) => new Date(at).toUTCString()
const minutes = 60_000

it.each([
  ['whole seconds', '7', 7_000],
  ['spaces around the number', ' 7 ', 7_000],
  ['a part of a second', '1.5', 1_500],
  ['more seconds than the bound', '86400', maxMs],
  ['more seconds than a number can hold', '9'.repeat(400), maxMs],
  ['a date', 'Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['a date in the form of RFC 850', 'Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
  ['a date in the form of asctime', 'Thu Jan  1 00:00:10 2026', 10_000],
  ['a date in the form of ISO 8601', '2026-01-01T00:00:10Z', 10_000],
  ['a date in the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT', maxMs],
])('reads %s', (_, value, expected) => expect(wait(value)).toBe(expected))

it.each([
  ['zero', '0'],
  ['a date in the past', 'Wed, 31 Dec 2025 23:59:59 GMT'],
  ['the date of this moment', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ['a date before 1970', 'Sun, 06 Nov 1949 08:49:37 GMT'],
  ['nothing', ''],
  ['a negative number', '-5'],
  ['a hexadecimal number', '0x10'],
  ['an exponent', '1e9'],
  ['a word', 'soon'],
  ['a word and a year', 'after 2099'],
  ['a date that does not exist', 'Thu, 99 Foo 2026 00:00:10 GMT'],
])('leaves %s to the usual back-off', (_, value) => expect(wait(value)).toBeUndefined())

it('leaves an answer without the header to the usual back-off', () => {
  expect(retryAfterMs({}, now, { maxMs })).toBeUndefined()
  expect(retryAfterMs({ date: httpDate(now) }, now, { maxMs })).toBeUndefined()
})

it.each([
  ['ten minutes ahead of', 10 * minutes],
  ['ten minutes behind', -10 * minutes],
  ['decades ahead of', 40 * 365 * 24 * 60 * minutes],
])('waits 30 s if the server is %s this machine and its Date header says so', (_, skew) => {
  expect(wait(httpDate(now + skew + 30_000), httpDate(now + skew))).toBe(30_000)
  expect(wait(httpDate(now + skew - 30_000), httpDate(now + skew))).toBeUndefined()
  expect(wait('30', httpDate(now + skew))).toBe(30_000)
})

it('uses its own clock if the Date header is unreadable', () => {
  expect(wait(httpDate(now + 30_000), 'today')).toBe(30_000)
})

it('returns a time between zero and the bound, or undefined, for any text', () => {
  const date = fc.date({ noInvalidDate: true }).map((at) => at.toUTCString())
  const text = fc.oneof(fc.string(), date, fc.double().map(String), fc.nat().map(String))
  fc.assert(
    fc.property(text, text, (value, date) => {
      const found = wait(value, date)
      expect(found === undefined || (found > 0 && found <= maxMs)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
