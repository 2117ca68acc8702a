import { readdirSync, readFileSync } from 'node:fs'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { findMutants } from './mutate/mutants.ts'
import { describeReport, reportOf } from './mutate/report.ts'
import { readSource } from './tidy/source.ts'

const mutantsOf = (text: string) => findMutants(readSource('packages/runner-set/src/core/a.ts', text))
const changed = (text: string) => mutantsOf(text).map(({ after }) => after)

describe('the mutants of a line', () => {
  it.each<[string, readonly string[]]>([
    ['return a === b', ['return a !== b']],
    ['return a !== b', ['return a === b']],
    ['return a < b', ['return a >= b', 'return a <= b']],
    ['return a <= b', ['return a > b', 'return a < b']],
    ['return a > b', ['return a <= b', 'return a >= b']],
    ['return a >= b', ['return a < b', 'return a > b']],
    ['return a && b', ['return a || b']],
    ['return a || b', ['return a && b']],
    ['found ||= a', ['found &&= a']],
    ['return !a', ['return a']],
    ['return !(a.b)', ['return (a.b)']],
    ['if (a) go()', ['if (!(a)) go()']],
    ['if (a === b) go()', ['if (a !== b) go()']],
    ['if (!a) go()', ['if (a) go()']],
    ['if (has(!a)) go()', ['if (!(has(!a))) go()', 'if (has(a)) go()']],
    ['if (a && b) go()', ['if (!(a && b)) go()', 'if (a || b) go()']],
    ['const c = a ? 1 : 2', ['const c = !(a) ? 1 : 2']],
    ['return a ? 1 : b ? 2 : 3', ['return !(a) ? 1 : b ? 2 : 3', 'return a ? 1 : !(b) ? 2 : 3']],
    ['go({ a: first(b, c) ? 1 : 2 })', ['go({ a: !(first(b, c)) ? 1 : 2 })']],
    ['items.map((item) => item.ok ? 1 : 2)', ['items.map((item) => !(item.ok) ? 1 : 2)']],
    ['const c = `${a ? 1 : 2} ${b}`', ['const c = `${!(a) ? 1 : 2} ${b}`']],
    ['const c = (a ?? 0) + 1', ['const c = (a) + 1']],
    ['const c = a ?? b ?? first(d, e)', ['const c = a ?? first(d, e)', 'const c = a ?? b']],
    ["go(a ?? '', b)", ['go(a, b)']],
    ["case 'a':", ['case null:']],
    ['return Math.min(a, b)', ['return Math.max(a, b)']],
    ['return items.some(has)', ['return items.every(has)']],
  ])('%s', (text, expected) => {
    expect(changed(`${text}\n`)).toEqual(expected)
  })

  it.each([
    ['// a === b, a ?? b'],
    ["const a = 'b === c'"],
    ['const a = /b && c/'],
    ['const a: Map<string, number> = b'],
    ["type A = Pick<B, 'c'>"],
    ['const a = b as Pick<\n  C\n>'],
    ['type A<B> = B extends C ? D : E'],
    ['function a(b?: C) {}'],
    ['const a = (b) => b'],
    ['const a = b?.c'],
  ])('%s has none', (text) => {
    expect(changed(`${text}\n`)).toEqual([])
  })

  it('follow conditions over several lines', () => {
    const text = 'const a =\n  b ||\n  c\n    ? d\n    : e ??\n      f\nconst g = 1\n'
    expect(mutantsOf(text).map((mutant) => [mutant.line, mutant.text])).toEqual([
      [2, text.replace(/b \|\|\n {2}c/, '!(b ||\n  c)')],
      [2, text.replace('||', '&&')],
      [5, text.replace(/ \?\?\n {6}f/, '')],
    ])
  })
})

it('gives no mutant of the core that cannot be parsed: it would count as killed', async () => {
  const files = readdirSync('packages/runner-set/src/core', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const mutants = files.flatMap((file) =>
    findMutants(
      readSource(`packages/runner-set/src/core/${file}`, readFileSync(`packages/runner-set/src/core/${file}`, 'utf8')),
    ),
  )
  expect(mutants.length).toBeGreaterThan(500)
  await Promise.all(mutants.map(({ text }) => transform(text, { loader: 'ts' })))
})

describe('the report', () => {
  const [mutant] = mutantsOf('return a === b\n')
  const verdicts = (killers: readonly (string | undefined)[]) =>
    mutant ? killers.map((killedBy) => ({ mutant, killedBy })) : []

  it('lists each survivor with its place and its mutation', () => {
    const report = reportOf(verdicts(['a test', undefined]))
    expect(report).toMatchObject({ killed: 1, total: 2, share: 0.5, timeouts: 0 })
    expect(describeReport(report)).toBe(
      'packages/runner-set/src/core/a.ts:1\n  - return a === b\n  + return a !== b\nmutants: 1 of 2 killed (50 %), 1 survived\n',
    )
  })

  it('counts a timeout as killed, and never rounds a survivor away', () => {
    const killers = Array.from({ length: 1_999 }, () => 'timeout')
    expect(describeReport(reportOf(verdicts([...killers, undefined])))).toContain(
      '1999 of 2000 killed (99.9 %), 1999 of them by a timeout, 1 survived',
    )
  })
})
