import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Problem } from './problem.ts'
import { readMap } from './read-map.ts'
import { readYaml } from './yaml/read.ts'
import { isMapping } from './yaml/value.ts'

type Row = readonly [yaml: string, integer: unknown, float: unknown, text: unknown]

const { cases }: { readonly cases: readonly Row[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'pydantic-1.10.27.json'), 'utf8'),
)

it.each(cases)('coerces %s as pydantic does', (yaml, integer, float, text) => {
  expect([field(yaml, 'integer'), field(yaml, 'float'), field(yaml, 'text')]).toEqual([integer, marked(float), text])
})

/** Returns null for a refused value. The refusal must name the path. */
function field(yaml: string, kind: 'integer' | 'float' | 'text'): unknown {
  const read = readYaml(`v: ${yaml}`)
  if (!read.ok || !isMapping(read.value)) throw new Error(yaml)
  const problems: Problem[] = []
  const value = readMap(read.value, 'groups[0]', problems)[kind]('v')
  expect(problems.map((problem) => problem.path)).toEqual(value === undefined ? ['groups[0].v'] : [])
  return value ?? null
}

function marked(value: unknown): unknown {
  const special: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }
  return typeof value === 'string' ? special[value] : value
}
