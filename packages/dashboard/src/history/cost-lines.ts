// The cost of stored lives, one line for each day, set, job and use. The page has the same parts and prices.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Prices } from '../model/trends.ts'
import { type Contribution, contributionOf, type Owner, type Part, type PartKind } from './contribution.ts'
import type { Followed } from './followed.ts'

/** `forge`: the forge's own charge for the minutes of jobs. */
export type CostUse = PartKind | 'forge'

export type CostLine = {
  /** The day of UTC, for example `2026-11-27`. */
  readonly day: string
  /** `namespace/name` */
  readonly set: string
  /** These four are empty for time that no job used. */
  readonly repository: string
  readonly workflow: string
  /** The forge's id of the job. */
  readonly job: string
  readonly jobName: string
  readonly use: CostUse
  /** Jobs that ended on that day; on the line of their own time. */
  readonly jobs: number
  /** Hours of runners, or minutes of the forge. */
  readonly quantity: number
  readonly amount: number
}

/** The lives within the span that no line has, or not with all of their cost. */
export type CostGaps = {
  /** Their pods request nothing: their time has no price. The forge's minutes of their jobs have one. */
  readonly unpriced: number
  /** Nobody saw when they began. */
  readonly undated: number
  /** They have not ended, as far as it is known. They count when they have. */
  readonly open: number
}

export type CostLines = { readonly lines: readonly CostLine[]; readonly gaps: CostGaps }

export type CostSpan = { readonly from: Instant; readonly to: Instant; readonly prices: Prices }

/** How fine the lines are, the finest first. */
export const costLevels = ['job', 'workflow', 'repository', 'set'] as const
export type CostLevel = (typeof costLevels)[number]

const dayMs = 86_400_000
const hourMs = 3_600_000

export function costLinesOf(lives: Iterable<Followed>, span: CostSpan, by: CostLevel): CostLines {
  const gaps = { unpriced: 0, undated: 0, open: 0 }
  const lines: CostLine[] = []
  for (const followed of lives) {
    const cost = costOf(followed, span)
    lines.push(...cost.lines.map((line) => named(line, by)))
    if (cost.gap) gaps[cost.gap]++
  }
  return { lines: sumOf(lines).sort(inOrder), gaps }
}

/** Returns the line without the names that the level leaves out. */
function named(line: CostLine, by: CostLevel): CostLine {
  if (by === 'job') return line
  const ofWorkflow = { ...line, job: '', jobName: '' }
  if (by === 'workflow') return ofWorkflow
  return { ...ofWorkflow, workflow: '', ...(by === 'set' ? { repository: '' } : {}) }
}

/** Returns lines with equal names as one. */
function sumOf(lines: readonly CostLine[]): CostLine[] {
  const sums = new Map<string, CostLine>()
  for (const { jobs, quantity, amount, ...names } of lines) {
    const key = Object.values(names).join('\n')
    const known = sums.get(key) ?? { ...names, jobs: 0, quantity: 0, amount: 0 }
    sums.set(key, {
      ...names,
      jobs: known.jobs + jobs,
      quantity: known.quantity + quantity,
      amount: known.amount + amount,
    })
  }
  return [...sums.values()]
}

type Cost = { readonly lines: readonly CostLine[]; readonly gap: keyof CostGaps | null }

function costOf(followed: Followed, { from, to, prices }: CostSpan): Cost {
  const { steps } = followed.life
  const end = steps.ended ?? steps.gone ?? followed.lostAt
  const foundIn = followed.foundAt < to && (end === null || end >= from)
  if (end === null) return { lines: [], gap: foundIn ? 'open' : null }
  const life = end < from ? null : contributionOf(followed, from, to)
  if (!life) return { lines: [], gap: foundIn ? 'undated' : null }
  const parts = life.parts.filter((part) => part.from < to)
  const jobs = life.jobs.filter(({ at }) => at < to)
  const charged = forgeLines(jobs, life, prices)
  if (!life.requests) return { lines: charged, gap: parts.length > 0 ? 'unpriced' : null }
  const price = prices.nodes.find(({ label }) => label === life.priceLabel) ?? prices
  const hourly = life.requests.cpu * price.cpuHour + life.requests.memoryGib * price.memoryGibHour
  const ended = jobs.map((job) => lineOf(life, job, { at: job.at, use: 'job', jobs: 1 }))
  return {
    lines: [...parts.flatMap((part) => timeLines(life, part, { until: to, hourly })), ...ended, ...charged],
    gap: null,
  }
}

/** Returns the time of a part on each day, up to an instant. */
function timeLines(
  life: Contribution,
  part: Part,
  { until, hourly }: { readonly until: Instant; readonly hourly: number },
): readonly CostLine[] {
  const end = Math.min(part.to, until)
  const lines: CostLine[] = []
  for (let at = part.from; at < end; ) {
    const next = Math.min(end, Math.floor(at / dayMs) * dayMs + dayMs)
    const quantity = (next - at) / hourMs
    lines.push(lineOf(life, part, { at, use: part.kind, quantity, amount: quantity * hourly }))
    at = next
  }
  return lines
}

function forgeLines(jobs: Contribution['jobs'], life: Contribution, { forgeMinute }: Prices): readonly CostLine[] {
  if (forgeMinute === 0) return []
  return jobs.map((job) => {
    const amount = job.forgeMinutes * forgeMinute
    return lineOf(life, job, { at: job.at, use: 'forge', quantity: job.forgeMinutes, amount })
  })
}

type Amounts = Partial<Pick<CostLine, 'jobs' | 'quantity' | 'amount'>>

function lineOf(
  { set }: Contribution,
  { repository, workflow, job, jobName }: Owner,
  { at, use, ...amounts }: Amounts & { readonly at: Instant; readonly use: CostUse },
): CostLine {
  const names = { day: dayOf(at), set, repository, workflow, job, jobName, use }
  return { ...names, jobs: 0, quantity: 0, amount: 0, ...amounts }
}

function dayOf(at: Instant): string {
  return timestamp(at).slice(0, 10)
}

function inOrder(one: CostLine, next: CostLine): number {
  const [left, right] = [one, next].map(({ day, set, repository, workflow, job, use }) =>
    [day, set, repository, workflow, job, use].join('\n'),
  ) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}
