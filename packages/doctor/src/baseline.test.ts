import { expect, it } from 'vitest'
import { compareToBaseline, readBaseline, writeBaseline } from './baseline.ts'
import type { Finding } from './finding.ts'
import { fingerprints } from './fingerprint.ts'

const finding = (name: string, line: number, file = 'a.yaml'): Finding => ({
  rule: 'ttl-missing',
  code: 'JOB201',
  severity: 'warning',
  confidence: 'high',
  object: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'ci', name },
  container: undefined,
  message: 'No TTL.',
  place: { file, line, column: 1, endLine: line, endColumn: 2, start: line, end: line + 1 },
  fix: undefined,
  document: 0,
  related: [],
})

const nameOf = (file: string) => `k8s/${file}`
const here = { nameOf, isExamined: () => true, isGone: () => false }
const write = (...findings: Finding[]) => readBaseline(writeBaseline(findings, nameOf))

it('recognizes findings on moved lines, reports new ones, and counts those that are gone', () => {
  const baseline = write(finding('a', 1), finding('b', 9))
  const { fresh, known, stale } = compareToBaseline([finding('a', 30), finding('c', 1)], baseline, here)
  expect([fresh, known].map((list) => list.map(({ object }) => object.name))).toEqual([['c'], ['a']])
  expect(stale).toBe(1)
})

it('covers as many findings of one kind as it holds', () => {
  const baseline = write(finding('a', 1))
  expect(compareToBaseline([finding('a', 1), finding('a', 50)], baseline, here).fresh).toHaveLength(1)
})

it('recognizes the findings of a renamed folder', () => {
  const baseline = write(finding('a', 1, 'old/a.yaml'), finding('a', 1, 'kept/a.yaml'))
  const renamed = { ...here, isGone: (name: string) => name.startsWith('k8s/old/') }
  const now = [finding('a', 1, 'kept/a.yaml'), finding('a', 1, 'new/a.yaml')]
  expect(compareToBaseline(now, baseline, renamed)).toEqual({ fresh: [], known: now, stale: 0 })
})

it('reports a copy beside the original, before and after it in the order of names', () => {
  const baseline = write(finding('a', 1, 'm/a.yaml'))
  for (const copy of ['a/a.yaml', 'z/a.yaml']) {
    const now = [finding('a', 1, copy), finding('a', 1, 'm/a.yaml')]
    const { fresh, known } = compareToBaseline(now, baseline, here)
    expect([fresh, known].map((list) => list.map(({ place }) => place?.file))).toEqual([[copy], ['m/a.yaml']])
  }
})

it('keeps both findings of equal files in two folders', () => {
  const both = [finding('a', 1, 'a/a.yaml'), finding('a', 1, 'b/a.yaml')]
  const baseline = write(...both)
  expect(baseline).toHaveLength(2)
  expect(compareToBaseline(both, baseline, here)).toEqual({ fresh: [], known: both, stale: 0 })
  expect(new Set(fingerprints(both)).size).toBe(2)
  expect(fingerprints(both)).toEqual(fingerprints([finding('a', 7, 'c/a.yaml'), finding('a', 8, 'd/a.yaml')]))
})

it('names a file from the root of the repository, and counts nothing as stale that was not examined', () => {
  const baseline = write(finding('a', 1))
  const elsewhere = { ...here, nameOf: () => 'k8s/a.yaml', isExamined: () => false }
  expect(compareToBaseline([finding('a', 1)], baseline, elsewhere).known).toHaveLength(1)
  expect(compareToBaseline([], baseline, elsewhere).stale).toBe(0)
  expect(compareToBaseline([], baseline, { ...here, isExamined: (name) => name === 'k8s/a.yaml' }).stale).toBe(1)
  expect(compareToBaseline([], baseline, { ...elsewhere, isGone: () => true }).stale).toBe(1)
})

it('can be empty', () => {
  expect(write()).toEqual([])
})

it.each(['{}', '{"version":1,"findings":[]}', '{"version":2}', '{"version":2,"findings":[{}]}', '[]', 'null', '{'])(
  'refuses %s',
  (text) => {
    expect(() => readBaseline(text)).toThrow()
  },
)
