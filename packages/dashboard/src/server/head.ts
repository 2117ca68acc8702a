// The first line of the page, and its numbers: what waits and why, and what is wrong.
import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { faultsOf, type Head, type RunnerCounts, type SetNow, type Totals } from '../model/set-now.ts'

/** A part of the sum that is unknown makes the sum unknown: unknown is never zero. */
function sumOf(sets: readonly SetNow[], of: (set: SetNow) => number | null): number | null {
  let sum = 0
  for (const set of sets) {
    const value = of(set)
    if (value === null) return null
    sum += value
  }
  return sum
}

/** Nobody counts an invalid set. Without a valid one, every number is unknown. */
function countedOf(all: readonly SetNow[]): readonly SetNow[] {
  const valid = all.filter(({ isValid }) => isValid)
  return valid.length > 0 ? valid : all
}

export function totalsOf(all: readonly SetNow[], now: Instant): Totals {
  const sets = countedOf(all)
  const count = (phase: keyof RunnerCounts) => sumOf(sets, ({ counts }) => counts?.[phase] ?? null)
  const waiting = sumOf(
    sets.filter(({ hasQueue }) => hasQueue),
    (set) => set.waiting,
  )
  const since = sets.flatMap((set) => waitsSince(set) ?? [])
  return {
    invalid: all.filter(({ isValid }) => !isValid).length,
    waiting,
    running: count('busy'),
    starting: count('starting'),
    idle: count('idle'),
    longestWaitMs: since.length === 0 ? null : Math.max(0, now - Math.min(...since)),
  }
}

/** Returns since when the job of the set that waits longest has waited; undefined if none waits, or it is unknown. */
function waitsSince({ waiting, oldestQueuedAt, waitingSince }: SetNow): Instant | undefined {
  if (waiting === 0) return undefined
  return oldestQueuedAt ?? waitingSince ?? undefined
}

/** At most so many sets are named in one sentence. */
const namedMax = 3

export function headSentence(sets: readonly SetNow[], now: Instant): Pick<Head, 'sentence' | 'tone'> {
  if (sets.length === 0) return { sentence: 'There is no runner set yet.', tone: 'calm' }
  const waits = sets.filter(({ waiting }) => waiting !== null && waiting > 0)
  const blocked = sets.filter((set) => faultsOf(set).length > 0)
  const warned = sets.filter((set) => set.problems.length > 0 && faultsOf(set).length === 0)
  const unknown = sets.filter(
    ({ hasQueue, waiting, paused, deleting }) => hasQueue && waiting === null && !paused && !deleting,
  )
  const full = sets.filter((set) => set.waiting === 0 && set.why !== null && faultsOf(set).length === 0)
  const unserved = sets.reduce((sum, set) => sum + (set.unserved?.count ?? 0), 0)
  const first = longest(waits)
  const others = blocked.filter((set) => set !== first)
  const parts = [
    first ? waitingText(waits, first, now) : calmText(sets, unknown.length, unserved > 0 ? ' for a set' : ''),
    ...(first || full.length === 0
      ? []
      : [`${full[0]?.why} (${full.length === 1 ? 'set' : 'sets'} ${setsText(full)}).`.replace('. (', ' (')]),
    ...(unserved > 0
      ? [`${unserved === 1 ? '1 job waits' : `${unserved} jobs wait`} for labels that no set has.`]
      : []),
    ...(unknown.length > 0 ? [`Whether jobs wait is unknown for ${setsText(unknown)}.`] : []),
    ...(others.length > 0 ? [`${first ? 'Also wrong' : 'Wrong'}: ${setsText(others, true)}.`] : []),
    ...(others.length + unknown.length + unserved === 0 && first ? ['Nothing else is wrong.'] : []),
    ...(warned.length > 0 ? [`Soon: ${setsText(warned, true)}.`] : []),
  ]
  const waiting = waits.length + unknown.length + full.length + unserved + warned.length
  return { sentence: parts.join(' '), tone: blocked.length > 0 ? 'wrong' : waiting > 0 ? 'waiting' : 'calm' }
}

/** The set with the job that waits longest, and one with a reason before one without. */
function longest(waits: readonly SetNow[]): SetNow | undefined {
  return [...waits].sort(
    (left, right) =>
      Number(right.why !== null) - Number(left.why !== null) ||
      (waitsSince(left) ?? Number.POSITIVE_INFINITY) - (waitsSince(right) ?? Number.POSITIVE_INFINITY),
  )[0]
}

function waitingText(waits: readonly SetNow[], first: SetNow, now: Instant): string {
  const many = waits.reduce((sum, { waiting }) => sum + (waiting ?? 0), 0)
  const since = Math.min(...waits.map((set) => waitsSince(set) ?? now))
  const jobs =
    many === 1 ? `1 job waits, for ${ageText(now - since)}` : `${many} jobs wait, the longest ${ageText(now - since)}`
  const where = waits.length === 1 ? `set ${first.name}` : `set ${first.name}, and ${waits.length - 1} more`
  const why = first.why === null ? 'runners start' : lowerFirst(first.why.replace(/\.$/, ''))
  return `${jobs}: ${why} (${where}).`
}

function calmText(sets: readonly SetNow[], unknown: number, where: string): string {
  const running = sumOf(countedOf(sets), ({ counts }) => counts?.busy ?? null)
  const runs = running === null ? '' : running === 0 ? ' None runs.' : running === 1 ? ' 1 runs.' : ` ${running} run.`
  return unknown === sets.length ? '' : `No job ${unknown > 0 ? 'is known to wait' : 'waits'}${where}.${runs}`
}

function setsText(sets: readonly SetNow[], withReason = false): string {
  const named = sets
    .slice(0, namedMax)
    .map(({ name, problems }) => (withReason ? `${name} (${problems[0]?.reason ?? '?'})` : name))
  const more = sets.length > namedMax ? ` and ${sets.length - namedMax} more` : ''
  return `${named.join(', ')}${more}`
}

/** Keeps a word in capitals or with a digit as it is. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text
}
