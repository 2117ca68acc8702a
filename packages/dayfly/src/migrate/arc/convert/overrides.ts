// Converts the scheduled overrides of ARC's older generation into windows of the week.
// Source: https://github.com/actions/actions-runner-controller/blob/master/docs/automatically-scaling-runners.md#scheduled-overrides
import { type JsonObject, numberAt, textAt } from '@dayfly/kit/read-json'
import { weekdays } from '@dayfly/runner-set/model/schedule'
import type { Context } from './context.ts'

const key = 'scheduledOverrides'
const day = 1_440

/** Returns the windows; undefined if there is none. Each override that is no window of the week is left to the operator. */
export function convertOverrides(context: Context, max: number): readonly JsonObject[] | undefined {
  const list = context.values.root[key]
  const windows = Array.isArray(list)
    ? list.flatMap((override: unknown, index) => convertOverride(context, override, { index, of: list.length, max }))
    : []
  return windows.length > 0 ? windows : undefined
}

function convertOverride(
  { ledger }: Context,
  override: unknown,
  { index, of, max }: { readonly index: number; readonly of: number; readonly max: number },
): readonly JsonObject[] {
  const path = [key, index]
  const span = spanOf(override)
  if ('why' in span) {
    ledger.note('decide', path, `${span.why} Write it to spec.scale.schedule, or change spec.scale.min for that time.`)
    return []
  }
  const end = 'The window has no end. Remove it when the override would end.'
  const zone = span.timeZone === 'UTC' ? '' : ' A zone such as Europe/Berlin would follow the summer time.'
  const order = of > 1 ? ' Where windows overlap, the highest one holds, and ARC takes the first override.' : ''
  ledger.note('decide', [...path, 'recurrenceRule', 'untilTime'], end)
  ledger.note('changed', [...path, 'startTime'], `spec.scale.schedule: timeZone, days and from.${zone}`)
  const min = Math.min(span.min, max)
  const bound = min < span.min ? ` It is ${min}, because it may not be above the maximum.` : ''
  ledger.note(
    'changed',
    [...path, 'minReplicas'],
    `spec.scale.schedule: min, the number of idle runners.${bound}${order}`,
  )
  ledger.note('changed', path, 'spec.scale.schedule')
  return windowsOf(span).map((window) => ({ ...window, min }))
}

/** The first time of an override. Times are minutes. */
type Span = {
  readonly timeZone: string
  readonly repeats: 'Daily' | 'Weekly'
  /** The day of the week on which it begins; 0 is Sunday. */
  readonly weekday: number
  /** After midnight. */
  readonly from: number
  readonly length: number
  readonly min: number
}

function spanOf(override: unknown): Span | { readonly why: string } {
  const [start, end] = [textAt(override, 'startTime') ?? '', textAt(override, 'endTime') ?? '']
  const min = numberAt(override, 'minReplicas')
  const repeats = textAt(override, 'recurrenceRule', 'frequency') ?? ''
  const offset = /(?:Z|([+-])(\d\d):(\d\d))$/.exec(start)
  const [startAt, endAt] = [Date.parse(start), Date.parse(end)]
  if (!offset || Number.isNaN(startAt) || Number.isNaN(endAt)) return { why: 'Its times cannot be read.' }
  if (min === undefined || !Number.isInteger(min) || min < 0) return { why: 'It has no number of runners.' }
  if (repeats === '') return { why: 'It happens once, and a window repeats each week.' }
  if (repeats !== 'Daily' && repeats !== 'Weekly') return { why: `It is ${repeats}, and a window repeats each week.` }
  const [, sign = '+', hours = '00', minutes = '00'] = offset
  // Zones with a constant offset have whole hours, and the opposite sign.
  if (minutes !== '00') return { why: `No time zone has the constant offset ${sign}${hours}:${minutes}.` }
  const timeZone = hours === '00' ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`
  const local = new Date(startAt + Number(`${sign}${hours}`) * 3_600_000)
  const length = Math.round((endAt - startAt) / 60_000)
  if (length <= 0) return { why: 'It ends before it begins.' }
  if (length > (repeats === 'Daily' ? day : 7 * day)) return { why: 'It is longer than the time until it repeats.' }
  const from = local.getUTCHours() * 60 + local.getUTCMinutes()
  return { timeZone, repeats, weekday: local.getUTCDay(), from, length, min }
}

/** A window lasts for a day at most. One that ends at the time at which it begins lasts for a day. */
function windowsOf({ timeZone, repeats, weekday, from, length }: Span): readonly JsonObject[] {
  const whole = Math.floor(length / day)
  const rest = length % day
  const window = (days: readonly number[], minutes: number): JsonObject => ({
    timeZone,
    ...(repeats === 'Daily' ? {} : { days: days.map((number) => weekdays[number % 7]) }),
    from: timeOf(from),
    to: timeOf(from + minutes),
  })
  const days = Array.from({ length: whole }, (_, number) => weekday + number)
  return [...(whole > 0 ? [window(days, day)] : []), ...(rest > 0 ? [window([weekday + whole], rest)] : [])]
}

function timeOf(minutes: number): string {
  const parts = [Math.floor(minutes / 60) % 24, minutes % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
