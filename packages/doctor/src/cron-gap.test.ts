import { expect, test } from 'vitest'
import { longestGap } from './cron-gap.ts'

test.each<[string, number]>([
  ['* * * * *', 60],
  ['*/5 * * * *', 300],
  ['0 * * * *', 3600],
  ['0 */6 * * *', 6 * 3600],
  ['0 3 * * *', 86_400],
  ['0 3,15 * * *', 86_400],
  ['TZ=Europe/Berlin 0 3 * * *', 86_400],
  ['0 3 * * 1', 7 * 86_400],
  ['0 3 1 * *', 31 * 86_400],
  ['0 3 1 1 *', 366 * 86_400],
  ['@hourly', 3600],
  ['@daily', 86_400],
  ['*/0 * * * *', 3600],
  ['constructor', Number.POSITIVE_INFINITY],
  ['{{ .Values.schedule }}', Number.POSITIVE_INFINITY],
  ['', Number.POSITIVE_INFINITY],
])('the runs of %s are at most %d s apart', (schedule, seconds) => {
  expect(longestGap(schedule)).toBe(seconds)
})
