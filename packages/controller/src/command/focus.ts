// Cost lines as a table of the FinOps Open Cost and Usage Specification, FOCUS 1.1 (https://focus.finops.org/focus-specification/v1-1/).
import type { CostLine, CostUse } from '@dayfly/dashboard/history/cost-lines'

export type FocusRow = Readonly<Record<string, string | number | null>>

const descriptions: Readonly<Record<CostUse, string>> = {
  job: 'Runners that run a job',
  overhead: 'The start of runners, and their end after a job',
  idle: 'Runners that wait for a job',
  infrastructure: 'Runners that failed before they had a job',
  forge: 'The charge of the forge for the minutes of jobs',
}

/** Returns one row. The columns with x_ are Dayfly's own, as the specification allows. */
export function focusRow(
  { day, set, repository, workflow, job, jobName, use, jobs, quantity, amount }: CostLine,
  currency: string,
): FocusRow {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const first = (of: number) => new Date(Date.UTC(year, of, 1)).toISOString().replace('.000Z', 'Z')
  const begin = `${day}T00:00:00Z`
  const unit = use === 'forge' ? 'Minutes' : 'Hours'
  const price = quantity > 0 ? amount / quantity : null
  return {
    BilledCost: amount,
    BillingAccountId: 'dayfly',
    BillingAccountName: 'Dayfly',
    BillingCurrency: currency,
    BillingPeriodEnd: first(month),
    BillingPeriodStart: first(month - 1),
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeDescription: descriptions[use],
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: new Date(Date.parse(begin) + 86_400_000).toISOString().replace('.000Z', 'Z'),
    ChargePeriodStart: begin,
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    ContractedCost: amount,
    ContractedUnitPrice: price,
    EffectiveCost: amount,
    InvoiceIssuerName: 'Dayfly',
    ListCost: amount,
    ListUnitPrice: price,
    PricingCategory: 'Standard',
    PricingQuantity: quantity,
    PricingUnit: unit,
    ProviderName: 'Dayfly',
    PublisherName: 'Dayfly',
    ResourceId: set,
    ResourceName: set.split('/').at(-1) ?? set,
    ResourceType: 'RunnerSet',
    ServiceCategory: 'Developer Tools',
    ServiceName: 'CI runners',
    ServiceSubcategory: 'Continuous Integration and Deployment',
    SkuId: `runner-${use}`,
    SkuPriceId: `runner-${use}`,
    SubAccountId: repository === '' ? null : repository,
    SubAccountName: repository === '' ? null : repository,
    Tags: JSON.stringify({ set, ...(repository && { repository }), ...(workflow && { workflow }), use }),
    x_JobId: job === '' ? null : job,
    x_JobName: jobName === '' ? null : jobName,
    x_Jobs: jobs,
    x_Repository: repository === '' ? null : repository,
    x_Use: use,
    x_Workflow: workflow === '' ? null : workflow,
  }
}

/** Returns the table as CSV (RFC 4180). Null is an empty field. */
export function csvOf(rows: readonly FocusRow[]): string {
  const columns = Object.keys(rows[0] ?? focusRow(emptyLine, ''))
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => field(row[column])).join(','))]
  return `${lines.join('\r\n')}\r\n`
}

const emptyLine: CostLine = {
  ...{ day: '1970-01-01', set: '', repository: '', workflow: '', job: '', jobName: '' },
  ...{ use: 'job', jobs: 0, quantity: 0, amount: 0 },
}

/** A text from a forge must be no formula to a spreadsheet. */
function field(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return value.toFixed(9).replace(/\.?0+$/, '') || '0'
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
