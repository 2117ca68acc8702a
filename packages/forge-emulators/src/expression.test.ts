// Evaluates expressions in texts and conditions as GitHub does, and refuses expressions that need too much memory.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defineFunction,
  ExpressionFailure,
  equalValues,
  evaluateCondition,
  evaluateTemplate,
  evaluateText,
  evaluateValue,
  splitTemplate,
} from './expression.ts'

const scope = {
  contexts: {
    github: { ref: 'refs/heads/main', event: { list: [{ name: 'a' }, { name: 'b' }] } },
    env: { Path: 'one', PATH: 'two', constructor: 'own' },
    matrix: { n: 3, big: 1e21, half: 0.1 + 0.2, flag: true, none: null, deep: { x: [1, 2] } },
  },
  functions: [defineFunction('twice', [1, 1], (text) => `${text}${text}`)],
}

describe('expressions', () => {
  test.each([
    ['${{ matrix.n }}', 3],
    ['${{ matrix.flag }}', true],
    ['${{ matrix.none }}', null],
    ['${{ matrix.deep }}', { x: [1, 2] }],
    ['${{ github.event.list.*.name }}', ['a', 'b']],
    ['v${{ matrix.n }}', 'v3'],
    [' ${{ matrix.n }}', ' 3'],
    ['${{ matrix.n }}${{ matrix.flag }}', '3true'],
    ['[${{ matrix.none }}${{ matrix.deep }}${{ matrix.deep.x }}]', '[ObjectArray]'],
    ["${{ 'a }} b' }}", 'a }} b'],
    ["${{ 'it''s' }}", "it's"],
    ['${{ nothing closed', '${{ nothing closed'],
    ['${{ steps.x.outputs.y }}|', '|'],
    ['${{ env.Path }}${{ env.PATH }}${{ env.path }}${{ env.constructor }}', 'onetwoown'],
    ['${{ matrix.half }}', 0.30000000000000004],
    ['x${{ matrix.half }}', 'x0.3'],
    ['${{ TWICE(github.ref) }}', 'refs/heads/mainrefs/heads/main'],
    ["${{ matrix.n == '3' && 'yes' || 'no' }}", 'yes'],
    ['', ''],
  ])('%s', (template, value) => {
    expect(evaluateTemplate(template, scope)).toEqual(value)
    const shown = evaluateText(template, scope)
    expect(typeof shown).toBe('string')
  })

  test.each([
    ["github.ref == 'refs/heads/MAIN'", true],
    ["''", false],
    ['0', false],
    ["'0'", true],
    ['null', false],
    ['matrix.deep', true],
    ['!matrix.flag', false],
    ["fromJSON('[]')", true],
    ['matrix.nothing.at.all', false],
  ])('if: %s', (condition, value) => {
    expect(evaluateCondition(condition, scope)).toBe(value)
  })

  test.each([
    ['${{ nosuch() }}'],
    ['${{ foo.bar }}'],
    ["${{ fromJSON('{') }}"],
    ["${{ format('{1}', 'a') }}"],
    ['${{ }}'],
    ['${{ 1 + 1 }}'],
  ])('%s cannot be evaluated', (template) => {
    expect(() => evaluateText(template, scope)).toThrow(ExpressionFailure)
  })

  test.each([
    ['nested format', `\${{ ${"format('{0}{0}{0}{0}{0}{0}{0}{0}', ".repeat(20)}'aaaaaaaa'${')'.repeat(20)} }}`],
    [
      'one wide format',
      `\${{ format('${'{0}'.repeat(5_000)}', format('${'{0}'.repeat(1_000)}', '${'a'.repeat(1_000)}')) }}`,
    ],
    ['nested toJSON', `\${{ ${'toJSON('.repeat(40)}'"'${')'.repeat(40)} }}`],
    [
      'join with a long separator',
      `\${{ join(fromJSON('[${'1,'.repeat(5_000)}1]'), format('${'{0}'.repeat(100)}', '${'b'.repeat(1_000)}')) }}`,
    ],
    ['many expressions in one text', `\${{ format('{0}', '${'a'.repeat(1_000)}') }}`.repeat(6_000)],
  ])('%s is refused before it uses memory or time', (_, template) => {
    const started = performance.now()
    expect(() => evaluateText(template, scope)).toThrow(/larger than/)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('evaluates nested values, but no keys', () => {
    expect(evaluateValue({ '${{ a }}': ['${{ matrix.n }}', { x: 'n${{ matrix.n }}' }, 4, null] }, scope)).toEqual({
      '${{ a }}': [3, { x: 'n3' }, 4, null],
    })
  })

  test("compares values with GitHub's equality", () => {
    expect(equalValues('A', 'a')).toBe(true)
    expect(equalValues('1', 1)).toBe(true)
    expect(equalValues(true, 1)).toBe(true)
    expect(equalValues(null, '')).toBe(true)
    expect(equalValues([1], [1])).toBe(false)
  })

  test('a text without expressions is its own value, and the parts of a split join to the text', () => {
    const piece = fc.constantFrom('${{', '}}', ' ', "'", '$', '{', '}', 'a', '\n')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        const parts = splitTemplate(text)
        const joined = parts.map((part) => (part.kind === 'text' ? part.text : `\${{${part.text}}}`)).join('')
        expect(joined).toBe(text)
      }),
    )
  })
})
