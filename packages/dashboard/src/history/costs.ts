// Costs of a window: hours × prices, at the moment of the question. So a new price holds for the past, too.
import type { Instant } from '@dayfly/kit/clock'
import { groupedBy } from '@dayfly/kit/grouped'
import type { CostRow, Costs, Prices, WindowName } from '../model/trends.ts'
import { type CostSums, noSums, type Sums, sumNames } from './bucket.ts'
import type { PartKind } from './contribution.ts'
import { hourMs } from './hours.ts'
import { type Past, sumsIn, windowAt } from './past-window.ts'

export type CostsQuestion = {
  readonly window: WindowName
  readonly now: Instant
  readonly prices: Prices | null
  /** The sets that the viewer may see. */
  readonly sees: (set: string) => boolean
}

/** The page shows no more of them. */
const shownMax = 200

export function costsOf(past: Past, { window: name, now, prices, sees }: CostsQuestion): Costs {
  const window = windowAt(name, now, past.since)
  const seen = [...sumsIn(past, window).costs.values()].filter(({ set }) => sees(set))
  const rows = seen.map((row) => pricedRow(row, prices))
  const total = totalOf(rows)
  const forge = total.sums.forgeMinutes * (prices?.forgeMinute ?? 0)
  const ofJobs = rows.filter(({ repository }) => repository !== '')
  return {
    ...window,
    prices,
    // The start and the end of a runner belong to its job.
    total: total.amounts.job + total.amounts.overhead + total.amounts.idle + total.amounts.infrastructure + forge,
    idle: { hours: total.sums.idleMs / hourMs, amount: total.amounts.idle },
    infrastructure: {
      hours: total.sums.infrastructureMs / hourMs,
      amount: total.amounts.infrastructure,
      runners: total.sums.infrastructureRunners,
    },
    forge,
    repositories: costRows(ofJobs, ({ repository }) => repository),
    workflows: costRows(ofJobs, ({ repository, workflow }) => `${repository} ${workflow}`),
    sets: setRows(rows),
    unpriced: total.sums.unpriced,
  }
}

type Amounts = Record<PartKind, number>
type Priced = CostSums & { readonly amounts: Amounts }
type Total = { readonly sums: Sums; readonly amounts: Amounts }

const kinds: readonly PartKind[] = ['job', 'overhead', 'idle', 'infrastructure']

function pricedRow(row: CostSums, prices: Prices | null): Priced {
  const price = prices?.nodes.find(({ label }) => label === row.priceLabel) ?? prices
  const amountOf = (kind: PartKind) =>
    price ? (row.sums[`${kind}Cpu`] * price.cpuHour + row.sums[`${kind}Gib`] * price.memoryGibHour) / hourMs : 0
  return {
    ...row,
    amounts: {
      job: amountOf('job'),
      overhead: amountOf('overhead'),
      idle: amountOf('idle'),
      infrastructure: amountOf('infrastructure'),
    },
  }
}

function totalOf(rows: readonly Priced[]): Total {
  const total = { sums: noSums(), amounts: { job: 0, overhead: 0, idle: 0, infrastructure: 0 } }
  for (const { sums, amounts } of rows) {
    for (const name of sumNames) total.sums[name] += sums[name]
    for (const kind of kinds) total.amounts[kind] += amounts[kind]
  }
  return total
}

function totalsBy(rows: readonly Priced[], nameOf: (row: Priced) => string): readonly (readonly [string, Total])[] {
  return [...groupedBy(rows, nameOf)].map(([name, group]) => [name, totalOf(group)] as const)
}

function rowOf(name: string, { sums, amounts }: Total): CostRow {
  return { name, jobs: sums.jobs, jobHours: sums.jobMs / hourMs, amount: amounts.job + amounts.overhead }
}

/** The most expensive row comes first; without prices, the one with the most hours. */
function byAmount(one: CostRow, next: CostRow): number {
  return next.amount - one.amount || next.jobHours - one.jobHours
}

function costRows(rows: readonly Priced[], nameOf: (row: Priced) => string): readonly CostRow[] {
  return totalsBy(rows, nameOf)
    .map(([name, total]) => rowOf(name, total))
    .sort(byAmount)
    .slice(0, shownMax)
}

function setRows(rows: readonly Priced[]): Costs['sets'] {
  return totalsBy(rows, ({ set }) => set)
    .map(([set, total]) => ({
      ...rowOf(set, total),
      idleHours: total.sums.idleMs / hourMs,
      idleAmount: total.amounts.idle,
    }))
    .sort(byAmount)
}
