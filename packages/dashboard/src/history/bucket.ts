// The sums of one span of time: queue times by set and repository, and hours by set, repository, workflow and price.
import type { Instant } from '@dayfly/kit/clock'
import type { Contribution, PartKind } from './contribution.ts'
import { Histogram } from './histogram.ts'

export type QueueRow = {
  readonly set: string
  readonly repository: string
  readonly times: Histogram
  waitingMs: number
  longestMs: number
}

/** Times are milliseconds; `Cpu` and `Gib` are milliseconds × what the pod requests. */
export const sumNames = [
  'jobs',
  'forgeMinutes',
  'jobMs',
  'jobCpu',
  'jobGib',
  'overheadMs',
  'overheadCpu',
  'overheadGib',
  'idleMs',
  'idleCpu',
  'idleGib',
  'infrastructureMs',
  'infrastructureCpu',
  'infrastructureGib',
  'infrastructureRunners',
  'unpriced',
] as const
export type Sums = Record<(typeof sumNames)[number], number>

export type CostKey = {
  readonly set: string
  readonly repository: string
  readonly workflow: string
  readonly priceLabel: string
}

export type CostSums = CostKey & { readonly sums: Sums }

/** Repositories of one set, and rows of one bucket, that are listed by name. The rest is `other`: no repository has such a name. */
const repositoriesMax = 200
const costRowsMax = 2_000
const other = 'other'

export class Bucket {
  readonly at: Instant
  /** Its text in a file, until it changes. */
  text: string | undefined
  readonly queues = new Map<string, QueueRow>()
  readonly costs = new Map<string, CostSums>()
  readonly #repositories = new Map<string, Set<string>>()

  constructor(at: Instant) {
    this.at = at
  }

  queued(set: string, repository: string, ms: number): void {
    const row = this.queueRow(set, repository)
    row.times.add(ms)
    row.waitingMs += ms
    row.longestMs = Math.max(row.longestMs, ms)
  }

  /** Adds the part of a contribution from `from` until `to`. @param sign -1 to take it back */
  contribute(contribution: Contribution, from: Instant, to: Instant, sign: 1 | -1): void {
    const { set, priceLabel, requests, parts, jobs, at, isInfrastructure } = contribution
    const isIn = (instant: Instant) => instant >= from && instant < to
    for (const part of parts) {
      const ms = (Math.min(part.to, to) - Math.max(part.from, from)) * sign
      if (ms * sign <= 0) continue
      const { repository, workflow, kind } = part
      addTime(this.#sums({ set, repository, workflow, priceLabel }), kind, ms, requests)
    }
    for (const job of jobs) {
      if (!isIn(job.at)) continue
      const { repository, workflow } = job
      const sums = this.#sums({ set, repository, workflow, priceLabel })
      sums.jobs += sign
      sums.forgeMinutes += job.forgeMinutes * sign
    }
    if (!isIn(at)) return
    const own = { set, priceLabel, repository: '', workflow: '' }
    if (isInfrastructure) this.#sums(own).infrastructureRunners += sign
    if (requests === null) this.#sums(own).unpriced += sign
  }

  /** Adds all rows of another bucket. @param named false to drop the names of repositories and workflows */
  merge(from: Bucket, named = true): void {
    const name = (text: string) => (named || text === '' ? text : other)
    for (const { set, repository, times, waitingMs, longestMs } of from.queues.values()) {
      const row = this.queueRow(set, name(repository))
      row.times.merge(times)
      row.waitingMs += waitingMs
      row.longestMs = Math.max(row.longestMs, longestMs)
    }
    for (const { sums, ...key } of from.costs.values()) {
      const into = this.#sums({ ...key, repository: name(key.repository), workflow: name(key.workflow) })
      for (const one of sumNames) into[one] += sums[one]
    }
  }

  queueRow(set: string, repository: string): QueueRow {
    this.text = undefined
    const named = this.#named(set, repository || 'unknown')
    const key = `${set}\n${named}`
    const row = this.queues.get(key) ?? { set, repository: named, times: new Histogram(), waitingMs: 0, longestMs: 0 }
    this.queues.set(key, row)
    return row
  }

  restoreCosts(key: CostKey, sums: Sums): void {
    const into = this.#sums(key)
    for (const name of sumNames) into[name] += sums[name]
  }

  #sums(of: CostKey): Sums {
    this.text = undefined
    const { set, priceLabel } = of
    const repository = this.#named(set, of.repository)
    let workflow = of.workflow
    let key = keyOf({ set, repository, workflow, priceLabel })
    if (!this.costs.has(key) && this.costs.size >= costRowsMax && workflow !== '') {
      workflow = other
      key = keyOf({ set, repository, workflow, priceLabel })
    }
    const found = this.costs.get(key)
    if (found) return found.sums
    const sums = noSums()
    this.costs.set(key, { set, repository, workflow, priceLabel, sums })
    return sums
  }

  #named(set: string, repository: string): string {
    if (repository === '') return repository
    const known = this.#repositories.get(set) ?? new Set<string>()
    if (known.has(repository)) return repository
    if (known.size >= repositoriesMax) return other
    this.#repositories.set(set, known.add(repository))
    return repository
  }
}

function keyOf({ set, repository, workflow, priceLabel }: CostKey): string {
  return `${set}\n${repository}\n${workflow}\n${priceLabel}`
}

export function noSums(): Sums {
  const sums: Partial<Sums> = {}
  for (const name of sumNames) sums[name] = 0
  return sums as Sums
}

type SumName = (typeof sumNames)[number]

/** Written out, because this runs for each part of each life. */
const sumsOfKind: Readonly<Record<PartKind, readonly [SumName, SumName, SumName]>> = {
  job: ['jobMs', 'jobCpu', 'jobGib'],
  overhead: ['overheadMs', 'overheadCpu', 'overheadGib'],
  idle: ['idleMs', 'idleCpu', 'idleGib'],
  infrastructure: ['infrastructureMs', 'infrastructureCpu', 'infrastructureGib'],
}

function addTime(sums: Sums, kind: PartKind, ms: number, requests: Contribution['requests']): void {
  const [time, cpu, gib] = sumsOfKind[kind]
  sums[time] += ms
  if (requests === null) return
  sums[cpu] += ms * requests.cpu
  sums[gib] += ms * requests.memoryGib
}
