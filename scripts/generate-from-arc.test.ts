import { readFileSync } from 'node:fs'
import path from 'node:path'
import { metricTable } from '@dayfly/controller/metrics/metric-table'
import { valueTable } from 'dayfly/migrate/arc/values-table'
import { expect, test } from 'vitest'
import { documentedValues, readValues } from './arc/chart-values.ts'
import { withValueTable } from './from-arc-page.ts'

test('docs/guide/from-arc.md has the table of today', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/guide/from-arc.md'), 'utf8')
  expect(withValueTable(page)).toBe(page)
})

test('the table names only metrics of Dayfly that exist', () => {
  const known = new Set<string>(Object.values(metricTable).map(({ name }) => name))
  const named = valueTable.flatMap(({ sentence }) => [...sentence.matchAll(/\bdayfly_[a-z_]+/g)].map(([name]) => name))
  expect(named.map((name) => name.replace(/_(?:count|sum)$/, '')).filter((name) => !known.has(name))).toEqual([])
})

test('the values of a chart are its keys, also in commented examples, and what its templates read', () => {
  const text = `## prose: not a key
a: ""
# b:
#   c: 1 # more
#   # A sentence: no key
list:
  - name: x
    more: y
  - other: z
map:
  #d: |
  e: ""
`
  const list = ['list', 'list[].more', 'list[].name', 'list[].other']
  expect(documentedValues(text)).toEqual(['a', 'b', 'b.c', ...list, 'map', 'map.d', 'map.e'])
  expect(readValues('{{ .Values.x.y_z }} {{ with .Values.a }}{{ .b }}{{ end }} .Values.x.y_z')).toEqual(['a', 'x.y_z'])
})
