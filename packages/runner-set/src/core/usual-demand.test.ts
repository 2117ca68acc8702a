import { expect, it } from 'vitest'
import { UsualDemand } from './state/usual-demand.ts'
import { storedDays, usualAt, usualText, withPeak } from './usual-demand.ts'

const monday = { date: Date.parse('2027-03-29'), hour: 9 }
const week = 7 * 86_400_000

/** The peaks of earlier Mondays at nine, the newest first; undefined for one that nobody saw. */
function days(...peaks: readonly (number | undefined)[]) {
  return peaks.reduceRight<ReturnType<typeof withPeak>>(
    (known, peak, at) =>
      peak === undefined ? known : withPeak(known, { ...monday, date: monday.date - (at + 1) * week }, peak),
    [],
  )
}

it.each<[string, readonly (number | undefined)[], number, number]>([
  ['nothing is known', [], 0, 0],
  ['one week shows no habit', [12], 0, 1],
  ['the lower of two weeks', [12, 3], 3, 2],
  ['an unusual week decides nothing', [500, 12, 11], 12, 3],
  ['at least half of four weeks needed so many', [0, 12, 11, 0], 0, 4],
  ['a week that nobody saw is left out', [12, undefined, undefined, 11], 11, 2],
  ['a fifth week is forgotten', [undefined, undefined, undefined, 4, 9], 0, 1],
])('%s: %j', (_, peaks, runners, weeks) => {
  expect(usualAt(days(...peaks), monday)).toEqual({ runners, weeks })
})

it.each<[string, number, number, string | undefined]>([
  ['one week', 0, 1, 'Mondays at 09:00 UTC are not known yet: 1 of 2 weeks were seen'],
  ['three weeks with jobs', 4, 3, 'Mondays at 09:00 UTC, as in 3 of the last 4 weeks'],
  ['three weeks without jobs', 0, 3, undefined],
])('says what is known of %s', (_, runners, weeks, text) => {
  expect(usualText({ runners, weeks, weekday: 'Mon', hour: 9, timeZone: 'UTC', until: 0 })).toBe(text)
})

it('the days of a status that cannot be read are left out', () => {
  const [good] = days(12)
  expect(storedDays([good, { day: '2027-01-01', peaks: '1 2' }, null, 'x', { day: 7 }])).toEqual([good])
  expect(storedDays({ day: 'x' })).toEqual([])
})

it('an hour that the clock shows twice keeps its highest peak, and one that it skips is unseen', () => {
  const policy = { max: 10, timeZone: 'Europe/Berlin' }
  const usual = new UsualDemand(undefined)
  // The clock shows 02:30 at both instants.
  usual.saw(5, policy, Date.parse('2027-10-31T00:30:00Z'))
  usual.saw(2, policy, Date.parse('2027-10-31T01:30:00Z'))
  expect(usual.days[0]?.peaks).toMatch(/^- - 5 -/)
  expect(usual.need(policy, Date.parse('2027-10-31T00:30:00Z'))?.until).toBe(Date.parse('2027-10-31T00:55:00Z'))
  usual.saw(1, policy, Date.parse('2027-03-28T00:59:59Z'))
  usual.saw(2, policy, Date.parse('2027-03-28T01:00:00Z'))
  expect(usual.days.find(({ day }) => day === '2027-03-28')?.peaks).toMatch(/^- 1 - 2 -/)
})

it('the days are kept for four weeks, the newest first, each once', () => {
  const old = days(1, 2, 3, 4, 5)
  const kept = withPeak(withPeak(old, monday, 7), monday, 8)
  expect(kept.map(({ day, peaks }) => [day, peaks.split(' ')[9]])).toEqual([
    ['2027-03-29', '8'],
    ['2027-03-22', '1'],
    ['2027-03-15', '2'],
    ['2027-03-08', '3'],
    ['2027-03-01', '4'],
  ])
  expect(storedDays(kept.toReversed())).toEqual(kept)
})

it('two weeks are enough', () => {
  expect(usualText({ runners: 4, weeks: 2, weekday: 'Mon', hour: 9, timeZone: 'UTC', until: 0 })).toContain('in 2 of')
})

it('the runners of the next hour start five minutes before it, if they are more, and never more than the policy allows', () => {
  const policy = { max: 10, timeZone: 'UTC' }
  const seen = [2, 1].reduce<ReturnType<typeof withPeak>>((known, weeks) => {
    const date = monday.date - weeks * week
    return withPeak(withPeak(known, { date, hour: 8 }, 3), { date, hour: 9 }, 12)
  }, [])
  const needAt = (time: string) => new UsualDemand(seen).need(policy, Date.parse(`2027-03-29T${time}Z`))
  expect(needAt('08:54:59')).toMatchObject({ runners: 3, hour: 8, until: Date.parse('2027-03-29T08:55:00Z') })
  expect(needAt('08:55:00')).toMatchObject({ runners: 10, hour: 9, until: Date.parse('2027-03-29T09:00:00Z') })
  expect(needAt('09:55:00')).toMatchObject({ runners: 10, hour: 9 })
})

it('a changed policy counts at once', () => {
  const usual = new UsualDemand(days(12, 12))
  const at = Date.parse('2027-03-29T09:10:00Z')
  const runners = [20, 5].map((max) => usual.need({ max, timeZone: 'UTC' }, at)?.runners)
  expect(runners).toEqual([12, 5])
})
