// The demand of the last weeks by hours, and what the present hour usually needs.
import type { Instant } from '@dayfly/kit/clock'
import { TimeZone } from '@dayfly/kit/local-time'
import { weekdays } from '../../model/schedule.ts'
import type { DemandDay, UsualDemandPolicy, UsualNeed } from '../../model/usual-demand.ts'
import { type LocalHour, peakAt, storedDays, usualAt, withPeak } from '../usual-demand.ts'

/** A part of an hour in which the need is the same. */
type Span = {
  readonly policy: UsualDemandPolicy
  readonly from: Instant
  readonly hour: LocalHour
  readonly need: UsualNeed
}

const dayMs = 86_400_000
const hourMs = 3_600_000
/** So long before an hour begins, its runners start. */
const leadMs = 300_000

export class UsualDemand {
  days: readonly DemandDay[]
  /** Each tick asks, and the local time costs more than the rest of the tick. */
  #span: Span | undefined
  /** The highest number of jobs that was seen in the hour of the span. */
  #peak = -1

  /** @param stored the days of the set's stored status */
  constructor(stored: unknown) {
    this.days = storedDays(stored)
  }

  need(policy: UsualDemandPolicy | undefined, now: Instant): UsualNeed | undefined {
    return policy && this.#spanAt(policy, now).need
  }

  /** @param jobs that wait or run now */
  saw(jobs: number, policy: UsualDemandPolicy, now: Instant): void {
    const { hour } = this.#spanAt(policy, now)
    if (jobs <= this.#peak) return
    this.#peak = jobs
    this.days = withPeak(this.days, hour, jobs)
  }

  #spanAt(policy: UsualDemandPolicy, now: Instant): Span {
    const last = this.#span
    if (last && last.policy === policy && last.from <= now && now < last.need.until) return last
    const span = spanOf(this.days, policy, now)
    this.#span = span
    this.#peak = peakAt(this.days, span.hour) ?? -1
    return span
  }
}

function spanOf(days: readonly DemandDay[], policy: UsualDemandPolicy, now: Instant): Span {
  const { timeZone, max } = policy
  const zone = new TimeZone(timeZone)
  const hourAt = (at: Instant) => hourOf(zone.localTime(at))
  const rest = hourMs - (zone.localTime(now) % hourMs) - (now % 1_000)
  const isAhead = rest > leadMs
  const here = hourAt(now)
  const candidates = isAhead ? [here] : [here, hourAt(now + leadMs)]
  const [most = here] = candidates.toSorted((one, next) => usualAt(days, next).runners - usualAt(days, one).runners)
  const { runners, weeks } = usualAt(days, most)
  const weekday = weekdays[new Date(most.date).getUTCDay()] ?? 'Sun'
  const until = now + (isAhead ? rest - leadMs : rest)
  const need = { runners: Math.min(runners, max), weekday, hour: most.hour, weeks, timeZone, until }
  return { policy, from: now, hour: here, need }
}

function hourOf(local: number): LocalHour {
  const date = Math.floor(local / dayMs) * dayMs
  return { date, hour: Math.floor((local - date) / hourMs) }
}
