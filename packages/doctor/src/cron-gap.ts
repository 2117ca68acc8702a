// Estimates from a cron schedule how long two runs can be apart.

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const macros: Readonly<Record<string, number>> = {
  '@hourly': hour,
  '@daily': day,
  '@midnight': day,
  '@weekly': 7 * day,
  '@monthly': 31 * day,
  '@yearly': 366 * day,
  '@annually': 366 * day,
}

/** Returns the seconds between two runs, or more: an upper bound. Infinity if the schedule cannot be read. */
export function longestGap(schedule: string): number {
  const fields = schedule
    .trim()
    .replace(/^(CRON_)?TZ=\S+\s+/, '')
    .split(/\s+/)
  const [first = ''] = fields
  if (fields.length === 1)
    return Object.hasOwn(macros, first) ? (macros[first] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  if (fields.length !== 5 || fields.some((field) => !/^[\w*,/?-]+$/.test(field))) return Number.POSITIVE_INFINITY
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = fields
  if (!isEach(months)) return 366 * day
  // Cron runs on a day that either field of days names.
  if (!isEach(weekdays)) return 7 * day
  if (!isEach(days)) return 31 * day
  if (!isEach(hours)) return stepOf(hours, 24) * hour
  return isEach(minutes) ? minute : stepOf(minutes, 60) * minute
}

function isEach(field: string): boolean {
  return field === '*' || field === '?' || field === '*/1'
}

/** Returns the step of a field such as `*` + `/5`; without a step, the whole range. A step that does not divide the range ends with a shorter one. */
function stepOf(field: string, range: number): number {
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1] ?? range)
  return step > 0 ? Math.min(step, range) : range
}
