// Texts that kubectl accepts and a strict parser of YAML 1.2 does not, or reads otherwise.
// The expected values are those of sigs.k8s.io/yaml v1.6.0 (YAMLToJSON), which kubectl and Helm read with.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFile } from '../decode/decode.ts'
import { parseYaml } from '../yaml/parse.ts'
import { indexLines, placeOf } from '../yaml/place.ts'

const cases: readonly (readonly [what: string, text: string, value: unknown])[] = [
  ['a closing quote in the column of its parent', 'a:\n  b: "foo\n"\nc: 1\n', { a: { b: 'foo ' }, c: 1 }],
  ['a closing quote in the column of its list', 'a:\n  - "foo\n  bar\n"\nb: 1\n', { a: ['foo bar '], b: 1 }],
  ['a single quote in the column of its parent', "a:\n  b: 'foo\n'\nc: 1\n", { a: { b: 'foo ' }, c: 1 }],
  ['lines of a string at the border', 'a:\n  b: "foo\nbar\n  baz"\nc: 1\n', { a: { b: 'foo bar baz' }, c: 1 }],
  ['a string below its key', 'a:\n  b:\n    "foo\nbar: x"\nc: 1\n', { a: { b: 'foo bar: x' }, c: 1 }],
  ['a blank line in such a string', 'a:\n  b: "foo\n\nbar"\n', { a: { b: 'foo\nbar' } }],
  ['a closing brace in the column of its parent', 'a:\n  b: {\n  x: 1\n}\nc: 1\n', { a: { b: { x: 1 } }, c: 1 }],
  ['a closing bracket at the border', 'a:\n  b: [\n    1\n]\nc: 1\n', { a: { b: [1] }, c: 1 }],
  ['entries at the border', 'a:\n  b: [\n1, # "x\n"2\n3"\n]\nc: 1\n', { a: { b: [1, '2 3'] }, c: 1 }],
  ['tabs in brackets', 'a: [\n\tb\n]\n', { a: ['b'] }],
  ['tabs in braces', 'a: {\n\t"b": 1\n}\n', { a: { b: 1 } }],
  ['a tab in a string', 'a: "x\n\ty"\n', { a: 'x y' }],
  ['an alias as a key', 'a: &x foo\n*x: 1\n', { a: 'foo', foo: 1 }],
  ['an alias as a key in braces', 'a: &x foo\nb: {*x: 1}\n', { a: 'foo', b: { foo: 1 } }],
  ['an escaped apostrophe', 'a: "it\\\'s"\n', { a: "it's" }],
  ['lone carriage returns', 'a: 1\rb: 2\r', { a: 1, b: 2 }],
  [
    'words for booleans',
    'a: yes\nb: No\nc: on\nd: y\ne: n\nf: OFF\n',
    { a: true, b: false, c: true, d: true, e: false, f: false },
  ],
  ['such words in brackets', 'a: [yes, "on", no ]\n', { a: [true, 'on', false] }],
  [
    'numbers with a leading zero, a base, or underscores',
    'a: 0644\nb: 0o17\nc: 1_000\nd: 0x1F\ne: 0b11\nf: 089\ng: -010\n',
    { a: 420, b: 15, c: 1000, d: 31, e: 3, f: 89, g: -8 },
  ],
  ['binary text', 'a: !!binary aGVsbG8=\n', { a: 'hello' }],
]

describe('text that kubectl accepts', () => {
  it.each(cases)('is read with %s', (_, text, value) => {
    const parsed = parseYaml(text)
    expect('value' in parsed ? parsed.value : parsed.failed).toEqual(value)
  })

  it('keeps words for booleans as keys', () => {
    const parsed = parseYaml('on: 1\ny: 2\nNo: 3 # full\n? off\n: 4\n')
    expect('value' in parsed && parsed.value).toEqual({ on: 1, y: 2, No: 3, off: 4 })
  })

  it('remains not valid where kubectl refuses it', () => {
    for (const text of ['a: "x\n', 'a: b: c\n', 'a: [1\nb: 2\n', 'a: {x: 1}}\n', 'a:\n\tb: 1\n', 'a: "b" c\n']) {
      expect(parseYaml(text), text).toHaveProperty('failed')
    }
  })

  it('has its true places behind a rewritten part', () => {
    const text =
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: &n a\n  annotations:\n    *n: "it\\\'s\n"\nspec:\n  containers: [\n{name: x},\n  {name: y}]\n'
    const [object] = decodeFile({ path: 'a.yaml', text }).objects
    const at = (...path: (string | number)[]) => {
      const place = placeOf(object!, path, indexLines(text))
      return [place.line, place.column, text.slice(place.start, place.end)]
    }
    expect(at('spec', 'containers', 0, 'name')).toEqual([10, 2, 'name: x'])
    expect(at('spec', 'containers', 1, 'name')).toEqual([11, 4, 'name: y'])
    expect(at('spec')).toEqual([8, 1, 'spec'])
  })

  it('is a stream of JSON values without separators', () => {
    const pod = (name: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"x":"}{\\""}}`
    const text = `${pod('a')}\n${pod('b')}${pod('c')}\n`
    const { objects, skipped } = decodeFile({ path: 'a.json', text })
    expect(skipped).toEqual([])
    expect(objects.map((object) => placeOf(object, ['metadata', 'name'], indexLines(text)).start)).toEqual(
      ['a', 'b', 'c'].map((name) => text.indexOf(`"name":"${name}"`)),
    )
  })

  it('is searched for without a crash or a long wait in any text', () => {
    const part = fc.constantFrom(
      ...['"', "'", '\n', ' ', '  ', '\t', ': ', '- ', '[', ']', '{', '}', ',', '#', ' #', '|\n', '>-\n', '*a', '*a: '],
      ...['&a ', '!t ', '\\', '\\"', "\\'", 'a', 'a: ', '? ', '\r', '---\n'],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const parsed = parseYaml(parts.join(''))
        expect('value' in parsed || parsed.failed.length > 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
