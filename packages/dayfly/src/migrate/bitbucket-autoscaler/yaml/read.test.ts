import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readYaml } from './read.ts'
import { isMapping, isTimestamp, leavesOf, type Value } from './value.ts'

type Recorded = { readonly cases: readonly (readonly [text: string, value: unknown])[] }

const recorded: Recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, 'pyyaml-6.0.3.json'), 'utf8'))

describe('the reader of YAML 1.1', () => {
  it.each(recorded.cases)('reads %j as PyYAML does', (text, wanted) => {
    const read = readYaml(text)
    expect(read.ok ? marked(read.value) : 'ERR').toEqual(wanted)
  })

  it.each([
    ['aliases that multiply', manyAliases(), /aliases count each time/],
    ['an alias in its own anchor', 'a: &a [*a]', /inside its own anchor/],
    ['open brackets', '['.repeat(1e5), /brackets/],
    ['lists in one line', '- '.repeat(6e4), /opens more than/],
    ['deep indentation', deep(400), /nested/],
    ['a long text', 'x'.repeat(300_000), /at most 131072/],
    ['a long number', '1'.repeat(120_000), /digits/],
    ['quotes that never close', '"'.repeat(130_000), /line 1/],
    ['anchors that name nothing', '&a '.repeat(40_000), /line 1/],
    ['an unknown tag', 'a: !!python/object:os.system x', /tag/],
    ['a map as a key', '{a: 1}: b', /key/],
  ])('refuses %s soon', (_name, text, sentence) => {
    expect(readYaml(text)).toMatchObject({ ok: false, sentence: expect.stringMatching(sentence) })
    // Time of the processor: another process cannot make this test slow.
  })

  it('names the line and the column of an error', () => {
    expect(readYaml('a: 1\nb: [')).toMatchObject({
      ok: false,
      sentence: expect.stringMatching(/^line 2, column \d+: /),
    })
  })

  it('keeps keys of JavaScript as plain keys', () => {
    const read = readYaml('__proto__: {a: 1}\nconstructor: b')
    expect(read.ok && leavesOf(read.value, '')).toEqual(['__proto__.a', 'constructor'])
  })

  it('names a path below a key with other characters in brackets', () => {
    const read = readYaml('a: {"b.c/d": [1, {}]}')
    expect(read.ok && leavesOf(read.value, '')).toEqual(['a["b.c/d"][0]', 'a["b.c/d"][1]'])
  })
})

function manyAliases(): string {
  const lists = 'abcdefg'.split('').map((name, index) => {
    const of = index === 0 ? 'x' : `*${'abcdefg'.charAt(index - 1)}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => of).join(', ')}]`
  })
  return lists.join('\n')
}

function deep(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:`).join('\n')
}

/** The recorded form, in which JSON keeps the types apart. */
function marked(value: Value): unknown {
  if (Array.isArray(value)) return value.map((item: Value) => marked(item))
  if (isMapping(value)) return Object.fromEntries([...value].map(([key, item]) => [key, marked(item)]))
  if (isTimestamp(value)) return `ts:${value.timestamp}`
  if (typeof value === 'bigint') return `int:${value}`
  return typeof value === 'number' ? `float:${value}` : value
}
