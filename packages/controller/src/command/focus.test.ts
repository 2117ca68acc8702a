import { expect, it } from 'vitest'
import { csvOf, focusRow } from './focus.ts'

const line = {
  day: '2026-12-31',
  set: 'ci/linux',
  repository: 'acme/web',
  workflow: 'ci.yml',
  job: '',
  jobName: '',
  use: 'job',
  jobs: 2,
} as const

it('a row has the billing month, the day and the price of its own time', () => {
  expect(focusRow({ ...line, quantity: 4, amount: 1 }, 'EUR')).toMatchObject({
    ...{ BilledCost: 1, BillingCurrency: 'EUR', ListUnitPrice: 0.25, PricingUnit: 'Hours', SubAccountId: 'acme/web' },
    ...{ BillingPeriodStart: '2026-12-01T00:00:00Z', BillingPeriodEnd: '2027-01-01T00:00:00Z' },
    ...{ ChargePeriodStart: '2026-12-31T00:00:00Z', ChargePeriodEnd: '2027-01-01T00:00:00Z' },
  })
})

it('names of a forge stay one field of the table, and none is a formula', () => {
  const row = focusRow({ ...line, repository: '=1+1', workflow: 'a,"b"', quantity: 0.0000001, amount: 0 }, 'EUR')
  const [header = '', first = ''] = csvOf([row]).split('\r\n')
  expect(header).toContain('ServiceSubcategory,')
  expect(first).toContain(",'=1+1,")
  expect(first).toMatch(/,"a,""b"""$/)
  expect(first).toContain(',0.0000001,Hours,')
})
