// The table against the values that each release of ARC's chart documents or reads (scripts/arc-values.ts).
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { rowOf, valueTable } from './values-table.ts'

type Group = {
  readonly releases: readonly string[]
  readonly documented: readonly string[]
  readonly read: readonly string[]
}

const groups: readonly Group[] = JSON.parse(readFileSync(path.join(import.meta.dirname, 'chart-values.json'), 'utf8'))
const named = groups.flatMap(({ documented, read }) => [...documented, ...read])

describe('the table of values', () => {
  it.each(groups.map((group) => [group.releases.join(', '), group] as const))(
    'has a row for each value of %s',
    (_, group) => {
      expect([...group.documented, ...group.read].filter((value) => rowOf(value) === undefined)).toEqual([])
    },
  )

  it('has no row for a value that no release names', () => {
    expect(valueTable.map((row) => row.path).filter((value) => !named.includes(value))).toEqual([])
  })

  it('has a row of its own for each value at the top, and for each metric', () => {
    const own = named.filter((value) => !value.includes('.') || /^listenerMetrics\.\w+\.\w+$/.test(value))
    expect([...new Set(own)].filter((value) => rowOf(value)?.path !== value)).toEqual([])
  })

  it('finds the row of the longest path, and none for a name that only begins alike', () => {
    expect(rowOf('githubConfigSecret.github_token')?.is).toBe('changed')
    expect(rowOf('template.spec.containers[0].image')?.path).toBe('template')
    expect(rowOf('labelsOfMine')).toBeUndefined()
  })
})
