import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type MetricInfo, metricTable } from '@dayfly/controller/metrics/metric-table'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8')
const metrics = new Map<string, MetricInfo>(Object.values(metricTable).map((metric) => [metric.name, metric]))

type Rule = { readonly alert?: string; readonly record?: string; readonly expr: string }
const rules: readonly Rule[] = parse(read('deploy/chart/files/alerts.yaml')).groups.flatMap(
  ({ rules }: { readonly rules: readonly Rule[] }) => rules,
)
/** The alerts about the objective read the recorded series. */
const onRecorded = rules.filter(({ expr }) => /\bdayfly:/.test(expr))
const { panels } = JSON.parse(read('deploy/chart/files/dashboard.json')) as {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
}
const expressions = [
  ...rules
    .filter((rule) => !onRecorded.includes(rule))
    .map(({ alert, record, expr }) => [alert ?? record, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** Returns the metrics of an expression, with the labels that it selects. `dayfly_dev_controller` is a label of the PodMonitor. */
function selectorsOf(expr: string): readonly (readonly [metric: string, labels: readonly string[]])[] {
  const found = [...expr.matchAll(/\b(dayfly_(?!dev_)\w+)(?:\{([^}]*)\})?/g)]
  return found.map(([, metric = '', labels = '']) => [
    metric,
    [...labels.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, name = '']) => name),
  ])
}

describe.each(expressions)('%s', (_, expr) => {
  it('uses metrics of the controller with their labels', () => {
    expect(selectorsOf(expr)).not.toEqual([])
    for (const [name, labels] of selectorsOf(expr)) {
      const metric = metrics.get(name.replace(/_bucket$/, ''))
      expect(metric, name).toBeDefined()
      expect(metric?.type === 'histogram', `${name} is a histogram`).toBe(name.endsWith('_bucket'))
      expect(metric?.labels, name).toEqual(expect.arrayContaining([...labels]))
    }
  })

  it('groups by labels of its metrics', () => {
    const known = [
      'le',
      'namespace',
      'dayfly_dev_controller',
      ...selectorsOf(expr).flatMap(([name]) => metrics.get(name.replace(/_bucket$/, ''))?.labels ?? []),
    ]
    for (const [, list = ''] of expr.matchAll(/by \(([^)]*)\)/g))
      for (const label of list.split(',')) expect(known).toContain(label.trim())
  })
})

it('gives the dashboard a panel for every metric', () => {
  const shown = new Set(
    panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => selectorsOf(expr).map(([name]) => name.replace(/_bucket$/, ''))),
    ),
  )
  const absent = [...metrics.keys()].filter((name) => !shown.has(name))
  expect(absent).toEqual(['dayfly_build_info', 'dayfly_runner_delays_total'])
})

it('records every series that an alert about the objective reads', () => {
  const recorded = rules.flatMap(({ record }) => record ?? [])
  const read = onRecorded.flatMap(({ expr }) => expr.match(/\bdayfly:\w+:\w+/g) ?? [])
  expect([...new Set(read)].sort()).toEqual(recorded.toSorted())
})
