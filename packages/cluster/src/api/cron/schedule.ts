// Parses the schedule of a CronJob, with the messages of the parser that Kubernetes uses (robfig/cron v3, ParseStandard).
// Source: https://github.com/robfig/cron/blob/v3.0.1/parser.go

/** A parsed schedule: the minutes that it names, or a fixed interval. */
export type Schedule =
  | {
      readonly is: 'calendar'
      readonly minutes: ReadonlySet<number>
      readonly hours: ReadonlySet<number>
      readonly daysOfMonth: ReadonlySet<number>
      /** 1 is January. */
      readonly months: ReadonlySet<number>
      /** 0 is Sunday. */
      readonly daysOfWeek: ReadonlySet<number>
      /** Whether a day must match both of its fields, because one of them is `*`. Otherwise one match is enough. */
      readonly needsBothDays: boolean
    }
  | { readonly is: 'interval'; readonly ms: number }

export type ParsedSchedule = Schedule | { readonly is: 'invalid'; readonly why: string }

type Bounds = { readonly min: number; readonly max: number; readonly names: readonly string[] }

const minuteBounds: Bounds = { min: 0, max: 59, names: [] }
const hourBounds: Bounds = { min: 0, max: 23, names: [] }
const dayOfMonthBounds: Bounds = { min: 1, max: 31, names: [] }
/** The names count from `min`. */
const monthBounds: Bounds = { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') }
const dayOfWeekBounds: Bounds = { min: 0, max: 6, names: 'sun mon tue wed thu fri sat'.split(' ') }

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

class ScheduleError extends Error {}

export function parseSchedule(text: string): ParsedSchedule {
  try {
    return text.startsWith('@') ? parseMacro(text) : parseFields(text)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return { is: 'invalid', why: error.message }
  }
}

function parseMacro(text: string): Schedule {
  const fields = macros.get(text)
  if (fields !== undefined) return parseFields(fields)
  const every = '@every '
  if (!text.startsWith(every)) throw new ScheduleError(`unrecognized descriptor: ${text}`)
  const ms = durationMs(text.slice(every.length))
  if (ms === undefined) {
    const why = `time: invalid duration ${JSON.stringify(text.slice(every.length))}`
    throw new ScheduleError(`failed to parse duration ${text}: ${why}`)
  }
  return { is: 'interval', ms: Math.max(1_000, Math.floor(ms / 1_000) * 1_000) }
}

const unitMs: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 }

/** The longest duration of Go: its nanoseconds have 63 bits. */
const longestMs = 2 ** 63 / 1e6

/** Reads a duration of Go, for example `1h30m`. */
function durationMs(text: string): number | undefined {
  const [, sign, amounts = ''] = /^([+-]?)(.*)$/.exec(text) ?? []
  if (amounts === '0') return 0
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(amounts)) return undefined
  let sum = 0
  for (const [, amount, unit = ''] of amounts.matchAll(/([\d.]+)([a-zµ]+)/g))
    sum += Number(amount) * (unitMs[unit] ?? 0)
  if (sum >= longestMs) return undefined
  return sign === '-' ? -sum : sum
}

function parseFields(text: string): Schedule {
  const fields = text.split(/\s+/).filter((field) => field !== '')
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields
  if (fields.length !== 5 || dayOfWeek === undefined) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`)
  }
  const monthDays = parseList(dayOfMonth ?? '', dayOfMonthBounds)
  const weekDays = parseList(dayOfWeek, dayOfWeekBounds)
  return {
    is: 'calendar',
    minutes: parseList(minute ?? '', minuteBounds).values,
    hours: parseList(hour ?? '', hourBounds).values,
    daysOfMonth: monthDays.values,
    months: parseList(month ?? '', monthBounds).values,
    daysOfWeek: weekDays.values,
    needsBothDays: monthDays.isAny || weekDays.isAny,
  }
}

/** The values of a field, and whether a part of it is `*`. */
type Values = { readonly values: ReadonlySet<number>; readonly isAny: boolean }

function parseList(field: string, bounds: Bounds): Values {
  // A field may repeat a part a million times.
  const parts = [...new Set(field.split(','))].filter((part) => part !== '')
  const ranges = parts.map((part) => parseRange(part, bounds))
  return {
    values: new Set(ranges.flatMap(({ values }) => [...values])),
    isAny: ranges.some(({ isAny }) => isAny),
  }
}

/** Parses `*`, `5`, `1-5`, `mon-fri`, each with or without a step. `5/10` means `5-MAX/10`. */
function parseRange(text: string, bounds: Bounds): Values {
  const [range = '', stepText, ...moreSteps] = text.split('/')
  const [low = '', high, ...moreHyphens] = range.split('-')
  const isStar = low === '*' || low === '?'
  if (!isStar && moreHyphens.length > 0) throw new ScheduleError(`too many hyphens: ${text}`)
  const start = isStar ? bounds.min : parseNumber(low, bounds)
  const end = isStar ? bounds.max : high === undefined ? start : parseNumber(high, bounds)
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`)
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  const last = stepText !== undefined && high === undefined ? bounds.max : end
  if (start < bounds.min) {
    throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  }
  if (last > bounds.max) throw new ScheduleError(`end of range (${last}) above maximum (${bounds.max}): ${text}`)
  if (start > last) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${last}): ${text}`)
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`)
  const values = new Set<number>()
  for (let value = start; value <= last; value += step) values.add(value)
  return { values, isAny: isStar && step === 1 }
}

function parseNumber(text: string, bounds?: Bounds): number {
  const named = bounds?.names.indexOf(text.toLowerCase()) ?? -1
  if (bounds !== undefined && named >= 0) return bounds.min + named
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  const value = Number(text)
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`)
  return value
}
