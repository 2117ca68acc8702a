// How much the jobs of a set used, as three histograms that stay small for any number of jobs.
import { listAt, numberAt } from '@dayfly/kit/read-json'

/** The keys are upper bounds in the unit of the histogram, and the values are numbers of jobs. Older jobs count less, so the numbers may be fractions. */
export type Histogram = ReadonlyMap<number, number>

/** `milliCpu` in thousandths of a core, `memoryMiB` in MiB, `seconds` in seconds. */
export type Digest = Readonly<Record<keyof typeof firstBounds, Histogram>>

/** The usage of one job. Processor and memory are undefined if they were not measured for the whole job. */
export type JobUsage = {
  readonly seconds: number
  readonly milliCpu: number | undefined
  readonly memoryMiB: number | undefined
}

const firstBounds = { milliCpu: 10, memoryMiB: 16, seconds: 5 } as const
const growth = 1.15
const boundsMax = 96

type Part = keyof typeof firstBounds

/** The last bounds are 5,800 cores, 9 TiB and 34 days. */
const bounds = mapped((part) =>
  Array.from({ length: boundsMax }, (_, index) => Math.ceil(firstBounds[part] * growth ** index)),
)

/** Above this number of jobs, each count is halved, so that the jobs of the past fade. */
const jobsMax = 1_000
/** A job has faded after three halvings. */
const leastCount = 0.25

export const emptyDigest: Digest = { milliCpu: new Map(), memoryMiB: new Map(), seconds: new Map() }

export function withJob(digest: Digest, job: JobUsage): Digest {
  const counted = mapped((part) => withValue(digest[part], part, job[part]))
  if (jobsIn(counted.seconds) <= jobsMax) return counted
  return mapped((part) => {
    const halves = [...counted[part]].map(([bound, jobs]) => [bound, jobs / 2] as const)
    return new Map(halves.filter(([, jobs]) => jobs >= leastCount))
  })
}

export function withValue(histogram: Histogram, part: Part, value: number | undefined): Histogram {
  if (value === undefined) return histogram
  const bound = bounds[part].find((one) => value <= one) ?? bounds[part].at(-1) ?? 0
  return new Map(histogram).set(bound, (histogram.get(bound) ?? 0) + 1)
}

export function jobsIn(histogram: Histogram): number {
  return [...histogram.values()].reduce((total, jobs) => total + jobs, 0)
}

/** The range in which a value lies: more than `above` and at most `upTo`. */
export type Range = { readonly above: number; readonly upTo: number }

/** Returns the range of the value that this share of the jobs does not exceed. Undefined without jobs. */
export function rangeAt(histogram: Histogram, part: Part, share: number): Range | undefined {
  const least = jobsIn(histogram) * share
  let jobs = 0
  for (const [index, upTo] of bounds[part].entries()) {
    jobs += histogram.get(upTo) ?? 0
    if (jobs > 0 && jobs >= least) return { above: bounds[part][index - 1] ?? 0, upTo }
  }
  return undefined
}

/** The digest in the status of a set. Lists, because a merge patch would keep the old keys of a map. */
export function digestStatus(digest: Digest): object {
  return mapped((part) =>
    [...digest[part]].sort(([one], [other]) => one - other).map(([upTo, jobs]) => ({ upTo, jobs })),
  )
}

/** Reads a stored digest. Leaves out each entry that this code cannot have written. */
export function readDigest(stored: unknown): Digest {
  return mapped((part) => {
    const entries = listAt(stored, part).flatMap((entry) => {
      const [upTo, jobs] = [numberAt(entry, 'upTo'), numberAt(entry, 'jobs')]
      if (upTo === undefined || !bounds[part].includes(upTo)) return []
      return jobs !== undefined && jobs > 0 && jobs <= jobsMax ? [[upTo, jobs] as const] : []
    })
    return new Map(entries)
  })
}

function mapped<Value>(of: (part: Part) => Value): Readonly<Record<Part, Value>> {
  return { milliCpu: of('milliCpu'), memoryMiB: of('memoryMiB'), seconds: of('seconds') }
}
