// Judges the version of a set's runner: the forge supports it, ends it soon, or has ended it. Unknown is unknown.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Failure } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { RunnerVersion, RunnerVersionStatus, VersionSchedule } from '../model/runner-version.ts'
import { runnerImage } from './runner-image.ts'

/** `ends` says what the forge refuses after `at`. */
type End = { readonly at: Instant; readonly ends: 'jobs' | 'registrations' }

export type VersionVerdict =
  /** The version is not known. */
  | { readonly is: 'unknown' }
  /** The version is known, and the forge does not say when it ends it. */
  | { readonly is: 'unscheduled' }
  /** `end` is undefined while the forge has planned none. */
  | { readonly is: 'supported'; readonly end: End | undefined }
  | { readonly is: 'ends-soon' | 'ends-now' | 'ended'; readonly end: End }
  /** The version is lower than any that the forge lets register. */
  | { readonly is: 'below-minimum'; readonly minimum: string }

export function judgeVersion(version: RunnerVersion | undefined, limits: Limits, now: Instant): VersionVerdict {
  if (!version) return { is: 'unknown' }
  const { minimum, schedule } = version
  if (minimum !== undefined && isLower(version.version, minimum)) return { is: 'below-minimum', minimum }
  if (!schedule) return { is: 'unscheduled' }
  const end = endOf(schedule)
  if (!end) return { is: 'supported', end }
  const left = end.at - now
  if (left <= 0) return { is: 'ended', end }
  if (left <= limits.versionEndsNowMs) return { is: 'ends-now', end }
  return left <= limits.versionEndsSoonMs ? { is: 'ends-soon', end } : { is: 'supported', end }
}

/** Returns whether the forge no longer serves the version. Unknown is no refusal. */
export function isOutdated({ is }: VersionVerdict): boolean {
  return is === 'ended' || is === 'below-minimum'
}

/** Each runner registers for itself, so the earlier of the two times ends the set's work. */
export function endOf({ runtimeEndsAt, registrationEndsAt }: VersionSchedule): End | undefined {
  if (registrationEndsAt !== undefined && registrationEndsAt < (runtimeEndsAt ?? Number.POSITIVE_INFINITY)) {
    return { at: registrationEndsAt, ends: 'registrations' }
  }
  return runtimeEndsAt === undefined ? undefined : { at: runtimeEndsAt, ends: 'jobs' }
}

/** Returns when the verdict changes by the clock alone; undefined if it does not. */
export function verdictChangesAt(
  version: RunnerVersion | undefined,
  limits: Limits,
  now: Instant,
): Instant | undefined {
  const end = version?.schedule && endOf(version.schedule)
  if (!end) return undefined
  const steps = [end.at - limits.versionEndsSoonMs, end.at - limits.versionEndsNowMs, end.at]
  return steps.find((at) => at > now)
}

/** Returns the failure of a version that has ended or ends soon, with its time. */
export function versionFailure(version: RunnerVersion | undefined, verdict: VersionVerdict): Failure | undefined {
  if (!version) return undefined
  const subject = `version ${version.version} (from ${sourceOf(version)})`
  switch (verdict.is) {
    case 'below-minimum': {
      const message = `${subject} is lower than ${verdict.minimum}, the lowest that the forge lets register.`
      return { reason: 'runner-outdated', message }
    }
    case 'ended': {
      const message = `the forge ended ${subject} at ${timestamp(verdict.end.at)}: it ${effects[verdict.end.ends]}.`
      return { reason: 'runner-outdated', message }
    }
    case 'ends-soon':
    case 'ends-now': {
      const message = `the forge ends ${subject} at ${timestamp(verdict.end.at)}: it ${effects[verdict.end.ends]} then.`
      return { reason: 'runner-version-ends', message }
    }
    default:
      return undefined
  }
}

const effects = { jobs: 'gets no jobs', registrations: 'cannot register' } as const

/** Says what is known of a version that is not about to end. */
export function versionText(version: RunnerVersion | undefined, verdict: VersionVerdict): string {
  if (!version)
    return 'The version of the runner is not known: no runner has reported it, and the image does not name it.'
  const subject = `The runner has version ${version.version} (from ${sourceOf(version)}).`
  if (verdict.is !== 'supported') return `${subject} The forge does not say when it ends.`
  return `${subject} The forge ${verdict.end ? `ends it at ${timestamp(verdict.end.at)}` : 'has planned no end of it'}.`
}

function sourceOf({ from }: RunnerVersion): string {
  return from === 'runner' ? 'the newest runner' : 'the tag of the image'
}

/** Compares the numbers of two versions. A version that has other parts than numbers is not lower. */
function isLower(version: string, minimum: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(minimum)]
  if (left.some(Number.isNaN)) return false
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = 0, other = 0] = [left[at], right[at]]
    if (one !== other) return one < other
  }
  return false
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number)
}

export function versionStatus(set: RunnerSet, version: RunnerVersion | undefined): RunnerVersionStatus | null {
  if (!version) return null
  const { schedule, minimum = null, ...known } = version
  const time = (at: Instant | undefined) => (at === undefined ? null : timestamp(at))
  return {
    version: known.version,
    from: known.from,
    image: runnerImage(set),
    scheduled: schedule !== undefined,
    runtimeEndsAt: time(schedule?.runtimeEndsAt),
    registrationEndsAt: time(schedule?.registrationEndsAt),
    minimum,
  }
}

/** Returns what an earlier leader knew of the set's version; undefined if the image is another one since. */
export function storedVersion(
  set: RunnerSet,
  stored: RunnerVersionStatus | null | undefined,
): RunnerVersion | undefined {
  if (!stored || stored.image !== runnerImage(set)) return undefined
  const { version, from, scheduled, runtimeEndsAt, registrationEndsAt, minimum } = stored
  const instant = (text: string | null) => {
    const at = text === null ? Number.NaN : Date.parse(text)
    return Number.isNaN(at) ? undefined : at
  }
  const schedule = { runtimeEndsAt: instant(runtimeEndsAt), registrationEndsAt: instant(registrationEndsAt) }
  return { version, from, schedule: scheduled ? schedule : undefined, minimum: minimum ?? undefined }
}
