// Texts with template markers, and texts that only seem to have some.
import { describe, expect, it } from 'vitest'
import { decodeFile } from '../decode/decode.ts'
import { indexLines, placeOf } from '../yaml/place.ts'
import { isUnknown } from './template-value.ts'

const head = 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n'
const decode = (text: string) => decodeFile({ path: 'a.yaml', text })

/** Returns the containers' names of the only object; null: a template computes the name. */
function namesOf(text: string): unknown {
  const { objects, skipped } = decode(text)
  expect(skipped).toEqual([])
  expect(objects).toHaveLength(1)
  const { spec } = objects[0]!.value as { spec: { containers: { name: unknown }[] } }
  return spec.containers.map(({ name }) => (isUnknown(name) ? null : name))
}

describe('a text that is YAML already', () => {
  it.each([
    [
      'an opening in one string and a closing in another',
      `${head}spec:\n  containers:\n    - name: "{{"\n    - name: b\n    - name: "}}"\n`,
      ['{{', 'b', '}}'],
    ],
    [
      'the same on one line',
      `${head}spec: { containers: [{ name: '{{' }, { name: b }, { name: '}}' }] }\n`,
      ['{{', 'b', '}}'],
    ],
    [
      'openings in comments',
      `${head}spec:\n  containers:\n    - name: a # {{\n    - name: b # }}\n    - name: "{{ c }}"\n`,
      ['a', 'b', null],
    ],
    [
      'shell code that ends a marker lines later',
      `${head}spec:\n  containers:\n    - name: a\n      args: ["{%"]\n    - name: b\n      args:\n        - |\n          date +%}\n`,
      ['a', 'b'],
    ],
    [
      'a marker that only works in a string',
      `${head}spec:\n  containers:\n    - name: a\n      args:\n        - |\n          {{ if x }}\n      b\n`.replace(
        '      b\n',
        '          y\n',
      ),
      ['a'],
    ],
  ])('is read as written with %s', (_, text, names) => expect(namesOf(text)).toEqual(names))
})

describe('a template', () => {
  const spec = (line: string) => `${head}spec:\n  containers:\n    - name: ${line}\n      image: x\n    - name: b\n`
  it.each([
    ['a value over several lines', spec('{{ printf "%s-%s"\n  .a\n.b }}'), [null, 'b']],
    ['a value over several lines in quotes', spec('"{{ printf .a\n.b }}"'), [null, 'b']],
    ['a value over several lines in quotes, with more behind it', spec("'{{ x\n   .b }}-c'"), [null, 'b']],
    [
      'a marker alone on several lines',
      `${head}{{- include "x" (dict\n  "a" 1\n"b" 2) | nindent 2 }}\nspec:\n  containers:\n    {{- if\n.x }}\n    - name: a\n    {{- end\n}}\n    - name: b\n`,
      ['a', 'b'],
    ],
    [
      'a marker on several lines in a script',
      `${head}spec:\n  containers:\n    - name: a\n      args:\n        - |\n          x\n{{- range\n  .y }}\n          z\n{{- end }}\n    - name: b\n`,
      ['a', 'b'],
    ],
    [
      'a comment that mentions markers',
      `{{- /* not {{ this }}\n  kind: List: x\n*/ -}}\n${spec('{{/* {{ y }} */}}a')}`,
      [null, 'b'],
    ],
    [
      'several markers alone on one line',
      `${head}spec:\n  containers:\n{{- if .x }}{{ toYaml .x | nindent 4 }}{{- end }}\n    - name: a\n  {{ if .y }} {{ .z }} {{ end }}\n    - name: b\n`,
      ['a', 'b'],
    ],
    ['a closing in a string', spec('{{ printf "}}" }}'), [null, 'b']],
    ['a statement of Jinja on several lines', `{% set x = {\n  "a": 1\n} %}\n${spec('b')}`, ['b', 'b']],
  ])('is read with %s', (_, text, names) => expect(namesOf(text)).toEqual(names))

  it('has its true places behind a marker over several lines', () => {
    const text = spec('{{ printf\n  .a\n.b }}')
    const place = placeOf(decode(text).objects[0]!, ['spec', 'containers', 1, 'name'], indexLines(text))
    expect(text.slice(place.start, place.end)).toBe('name: b')
    expect([place.line, place.column]).toEqual([10, 7])
  })
})
