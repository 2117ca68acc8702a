import { describe, expect, it } from 'vitest'
import {
  ago,
  count,
  counted,
  duration,
  hours,
  inTime,
  money,
  price,
  share,
  spoken,
  timeOfDay,
  zoneOf,
} from './format.ts'

const now = Date.UTC(2026, 4, 4, 12, 0, 0)

describe('durations', () => {
  it.each([
    [null, '?'],
    [0, '0 s'],
    [-5, '0 s'],
    [20, '20 ms'],
    [400, '0.4 s'],
    [12_900, '12 s'],
    [60_000, '1 min'],
    [192_000, '3 min 12 s'],
    [3_599_000, '59 min'],
    [7_500_000, '2 h 5 min'],
    [97 * 3_600_000, '4 d 1 h'],
  ])('%s ms is "%s"', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})

describe('numbers and times', () => {
  it('show the unknown as "?", never as 0', () => {
    expect([count(null), counted(null, 'job'), share(null), ago(null, now), timeOfDay(null, now)]).toEqual([
      '?',
      '? jobs',
      '?',
      '?',
      '?',
    ])
    expect([count(0), counted(1, 'job'), counted(12_345, 'job')]).toEqual(['0', '1 job', '12,345 jobs'])
  })

  it('show a date only for another day', () => {
    expect(timeOfDay(now - 1_000, now, zoneOf('UTC'))).toBe('11:59:59')
    expect(timeOfDay(now - 86_400_000, now, zoneOf('UTC'))).toBe('3 May, 12:00:00')
  })

  it('show no time in the future as past', () => {
    expect([ago(now + 400, now), ago(now - 5_000, now)]).toEqual(['just now', '5 s ago'])
    expect([inTime(now - 1, now), inTime(now + 6_500, now)]).toEqual(['now', 'in 7 s'])
  })

  it('do not round a small share or time to nothing', () => {
    expect([share(0), share(0.001), share(0.126), hours(0.01), hours(2)]).toEqual([
      '0 %',
      'under 1 %',
      '13 %',
      'under 0.1 h',
      '2 h',
    ])
    expect([money(1234.5, 'EUR'), price(0.005, 'EUR')]).toEqual(['1,234.50 EUR', '0.005 EUR'])
    expect(spoken('image-missing')).toBe('Image missing')
  })
})
