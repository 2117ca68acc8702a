import { readFileSync } from 'node:fs'
import path from 'node:path'
import { metricTable } from '@dayfly/controller/metrics/metric-table'
import { expect, test } from 'vitest'
import { withMetricTable } from './metrics-page.ts'

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/guide/metrics.md'), 'utf8')

test('docs/guide/metrics.md has the table of today', () => {
  expect(withMetricTable(page)).toBe(page)
})

test('the alerts and the text of the page name only metrics that exist', () => {
  const named = [...page.matchAll(/\bdayfly_[a-z_]+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''))
  const known = new Set<string>(Object.values(metricTable).map(({ name }) => name))
  expect(named.filter((name) => !known.has(name))).toEqual([])
  expect(new Set(named).size).toBe(known.size)
})
