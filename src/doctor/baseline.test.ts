import { expect, it } from 'vitest'
import { compareToBaseline, readBaseline, writeBaseline } from './baseline.ts'
import type { Finding } from './finding.ts'

const finding = (name: string, line: number): Finding => ({
  rule: 'ttl-missing',
  code: 'JOB201',
  severity: 'warning',
  confidence: 'high',
  object: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'ci', name },
  container: undefined,
  message: 'No TTL.',
  place: { file: 'a.yaml', line, column: 1, endLine: line, endColumn: 2, start: line, end: line + 1 },
  fix: undefined,
  document: 0,
  related: [],
})

const nameOf = (file: string) => `k8s/${file}`
const here = { nameOf, isSettled: () => true }
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

it('names a file from the root of the repository, and counts nothing as stale that was not examined', () => {
  const baseline = write(finding('a', 1))
  const elsewhere = { nameOf: () => 'k8s/a.yaml', isSettled: () => false }
  expect(compareToBaseline([finding('a', 1)], baseline, elsewhere).known).toHaveLength(1)
  expect(compareToBaseline([], baseline, elsewhere).stale).toBe(0)
  expect(compareToBaseline([], baseline, { nameOf, isSettled: (name) => name === 'k8s/a.yaml' }).stale).toBe(1)
})

it('can be empty', () => {
  expect(write().size).toBe(0)
})

it.each(['{}', '{"version":1}', '{"version":1,"findings":[{}]}', '[]', 'null', '{'])('refuses %s', (text) => {
  expect(() => readBaseline(text)).toThrow()
})
