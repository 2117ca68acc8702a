// The schedules of a seed: windows whose edges fall inside its minutes, in the words of a RunnerSet and as instants.
import type { Instant } from '@dayfly/kit/clock'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { pick } from './streams.ts'

export type SeedWindow = {
  /** The entry of `scale.schedule`. */
  readonly entry: { readonly timeZone: string; readonly from: string; readonly to: string; readonly min: number } & {
    readonly days?: readonly string[]
  }
  /** When it holds, without the code that is tested; the same instants for one that never does. */
  readonly start: Instant
  readonly end: Instant
}

/** The simulated time begins here, in all zones without a change of the clocks for weeks. */
export const worldStart: Instant = Date.parse('2026-01-01T00:00:00Z')

const minute = 60_000
/** After its age, an idle runner waits this long at most for its replacement, and the checker of ages allows a minute of it. */
const replacedMs = 90_000
/** The latest edge of a short window, and the earliest one of a long window's other end. */
const lastEdgeMs = 10 * minute
const day = 1_440 * minute
/** The minutes by which the clocks of a zone are ahead of UTC on that day. */
const zones = [
  ['UTC', 0],
  ['Europe/Berlin', 60],
  ['America/New_York', -300],
  ['America/St_Johns', -210],
  ['Asia/Kolkata', 330],
  ['Pacific/Auckland', 780],
] as const
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

/** Returns how many idle runners the set asks for at a moment, if no job asks for any. */
export function minimumAt(
  { min, schedule = [] }: { readonly min: number; readonly schedule?: readonly SeedWindow[] },
  at: Instant,
): number {
  const mins = schedule.flatMap(({ entry, start, end }) => (start <= at && at < end ? [entry.min] : []))
  return mins.length > 0 ? Math.max(...mins) : min
}

/** Returns how long the set changes by time alone, in milliseconds: until the last edge of these minutes, and until each idle runner of now was replaced.
 *  @param renewedS the age at which an idle runner is replaced, in seconds; 0 without one */
export function changesFor(
  { schedule = [] }: { readonly schedule?: readonly SeedWindow[] },
  renewedS: number,
  now: Instant,
): number {
  const edges = schedule.flatMap(({ start, end }) => [start, end]).filter((at) => at > now && at < now + lastEdgeMs)
  return Math.max(renewedS > 0 ? 1_000 * renewedS + replacedMs : 0, ...edges.map((at) => at - now))
}

/** Returns a window that begins or ends in the first minutes, or that is of another day. */
export function windowOf(
  { forge, max }: { readonly forge: ForgeKind; readonly max: number },
  random: Random,
): SeedWindow {
  const long = randomInteger(random, 240, 600)
  const first = randomInteger(random, 1, 3)
  const spans = [
    { from: first, to: first + long },
    { from: -long, to: first },
    { from: first, to: first + randomInteger(random, 1, 3) },
    { from: -long, to: long, isOther: true },
  ]
  const { from, to, isOther = false } = pick(spans, random)
  const [timeZone, ahead] = pick(zones, random)
  const shownAt = (minutes: number) => worldStart + (minutes + ahead) * minute
  const laterDays = isOther ? randomInteger(random, 2, 5) : 0
  const date = new Date(shownAt(from) + laterDays * day)
  const days = isOther || random() < 0.5 ? { days: [weekdays[date.getUTCDay()] ?? ''] } : {}
  const min = randomInteger(random, forge === 'bitbucket' ? 1 : 0, max)
  const start = worldStart + from * minute
  return {
    entry: { timeZone, ...days, from: timeOf(shownAt(from)), to: timeOf(shownAt(to)), min },
    start,
    end: isOther ? start : worldStart + to * minute,
  }
}

function timeOf(shown: Instant): string {
  return new Date(shown).toISOString().slice(11, 16)
}
