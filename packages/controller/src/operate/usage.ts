// The usage of a set's jobs against what its pods request, as sentences with advice.
import { ageText } from '@dayfly/kit/age-text'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { type PodResource, podResourcesOf } from '../observe/pod-resources.ts'
import { type Digest, type Histogram, jobsIn, type Range, rangeAt } from '../usage/digest.ts'

/** One resource. `atMost`, `request` and `limit` are in cores or bytes. */
export type ResourceUsage = {
  /** The number of jobs whose usage is known. */
  readonly jobs: number
  /** 95 of 100 jobs used at most so much of the processor, and all jobs of the memory. Undefined while too few are known. */
  readonly atMost: number | undefined
  readonly request: number | undefined
  readonly limit: number | undefined
  /** The request that fits, as a quantity of Kubernetes; undefined if the present one does. */
  readonly suggested: string | undefined
  readonly sentences: readonly string[]
}

export type UsageView = {
  readonly jobs: number
  readonly cpu: ResourceUsage
  readonly memory: ResourceUsage
  /** In seconds; undefined while too few jobs are known. */
  readonly time: { readonly half: number; readonly most: number } | undefined
  readonly timeSentence: string
  /** The usage that the figures leave out. */
  readonly note: string | undefined
}

/** With fewer jobs, a single one decides. */
const jobsMin = 20
const mostShare = 0.95
/** A smaller saving is not worth a change. */
const savingMax = 0.75
/** A job whose memory comes so near to the limit may exceed it the next time. */
const nearLimit = 0.85
const mib = 1_024 ** 2

/** Returns undefined before the first job. */
export function usageOf(set: RunnerSet, digest: Digest): UsageView | undefined {
  const jobs = Math.round(jobsIn(digest.seconds))
  if (jobs === 0) return undefined
  const { cpu, memory } = podResourcesOf(set)
  const isKnown = jobs >= jobsMin
  const half = rangeAt(digest.seconds, 'seconds', 0.5)?.upTo
  const most = rangeAt(digest.seconds, 'seconds', mostShare)?.upTo
  const time = isKnown && half !== undefined && most !== undefined ? { half, most } : undefined
  return {
    jobs,
    cpu: cpuOf(digest.milliCpu, cpu),
    memory: memoryOf(digest.memoryMiB, memory),
    time,
    timeSentence: time
      ? `Half of the jobs took at most ${timeText(time.half)}, and 95 of 100 at most ${timeText(time.most)}.`
      : fewText(jobs),
    note: set.jobs === 'pods' ? 'The figures are those of the runners, without the pods of their jobs.' : undefined,
  }
}

function cpuOf(histogram: Histogram, { request, limit }: PodResource): ResourceUsage {
  const jobs = Math.round(jobsIn(histogram))
  const range = scaled(rangeAt(histogram, 'milliCpu', mostShare), 1e-3)
  if (!range || jobs < jobsMin) return unjudged(jobs, { request, limit })
  const wanted = cpuQuantity(range.upTo * 1.2)
  const used = `95 of 100 jobs use at most ${cores(range.upTo)}`
  const judged = { jobs, atMost: range.upTo, request, limit }
  if (limit !== undefined && range.above >= limit * nearLimit) {
    const text = `The limit is ${cores(limit)}, and jobs reach it. They are slower than they could be: raise the limit.`
    return { ...judged, suggested: undefined, sentences: [text] }
  }
  if (request === undefined) {
    const text = `Runners request nothing, and ${used}. Request ${wanted.text}, so that a full node gets no more of them.`
    return { ...judged, suggested: wanted.text, sentences: [text] }
  }
  const start = `Runners request ${cores(request)}, and ${used}.`
  if (range.above >= request) {
    const text = `${start} On a full node they get less: request ${wanted.text}.`
    return { ...judged, suggested: wanted.text, sentences: [text] }
  }
  return { ...judged, ...savingOf(start, wanted, request) }
}

function memoryOf(histogram: Histogram, { request, limit }: PodResource): ResourceUsage {
  const jobs = Math.round(jobsIn(histogram))
  const range = scaled(rangeAt(histogram, 'memoryMiB', 1), mib)
  if (!range || jobs < jobsMin) return unjudged(jobs, { request, limit })
  const wanted = memoryQuantity(range.upTo * 1.15)
  const used = `no job used more than ${bytes(range.upTo)}`
  const judged = { jobs, atMost: range.upTo, request, limit }
  if (limit !== undefined && range.above >= limit * nearLimit) {
    const text = `The limit is ${bytes(limit)}, and a job used more than ${bytes(range.above)}.`
    const next = `The next one may be killed (OOMKilled): raise the limit and the request to ${wanted.text}.`
    return { ...judged, suggested: wanted.text, sentences: [text, next] }
  }
  if (request === undefined) {
    const text = `Runners request nothing, and ${used}. Request ${wanted.text}: else a full node evicts them first.`
    return { ...judged, suggested: wanted.text, sentences: [text] }
  }
  if (range.above >= request) {
    const text = `Runners request ${bytes(request)}, and a job used more than ${bytes(range.above)}.`
    const next = `A node without free memory evicts such a runner first: request ${wanted.text}.`
    return { ...judged, suggested: wanted.text, sentences: [text, next] }
  }
  return { ...judged, ...savingOf(`Runners request ${bytes(request)}, and ${used}.`, wanted, request) }
}

type Quantity = { readonly amount: number; readonly text: string }

function savingOf(start: string, wanted: Quantity, request: number): Pick<ResourceUsage, 'suggested' | 'sentences'> {
  if (wanted.amount > request * savingMax) return { suggested: undefined, sentences: [`${start} That fits.`] }
  const text = `${start} Request ${wanted.text} instead: more runners fit on a node.`
  return { suggested: wanted.text, sentences: [text] }
}

function unjudged(jobs: number, resource: PodResource): ResourceUsage {
  const text = jobs === 0 ? 'Not known: no job has been measured.' : fewText(jobs)
  return { jobs, atMost: undefined, ...resource, suggested: undefined, sentences: [text] }
}

function fewText(jobs: number): string {
  return `Known of ${jobs} ${jobs === 1 ? 'job' : 'jobs'} so far. From ${jobsMin} on, it is judged.`
}

function scaled(range: Range | undefined, unit: number): Range | undefined {
  return range && { above: range.above * unit, upTo: range.upTo * unit }
}

function cores(amount: number): string {
  return `${Number(amount.toPrecision(2))} CPU`
}

function bytes(amount: number): string {
  const size = amount / mib
  return size < 1_024 ? `${Math.ceil(size)} MiB` : `${Number((size / 1_024).toPrecision(2))} GiB`
}

/** Steps of 100m below one core, and of half a core above. */
function cpuQuantity(amount: number): Quantity {
  const step = amount < 1 ? 100 : 500
  const milli = Math.ceil((amount * 1_000) / step) * step
  return { amount: milli / 1_000, text: milli % 1_000 === 0 ? String(milli / 1_000) : `${milli}m` }
}

/** Steps of 128Mi below one GiB, and of 512Mi above. */
function memoryQuantity(amount: number): Quantity {
  const step = amount < 1_024 * mib ? 128 : 512
  const size = Math.ceil(amount / mib / step) * step
  return { amount: size * mib, text: size % 1_024 === 0 ? `${size / 1_024}Gi` : `${size}Mi` }
}

/** A job took at most so long: the time is rounded up. */
function timeText(seconds: number): string {
  const unit = seconds < 120 ? 1 : seconds < 7_200 ? 60 : 3_600
  return ageText(Math.ceil(seconds / unit) * unit * 1_000)
}
