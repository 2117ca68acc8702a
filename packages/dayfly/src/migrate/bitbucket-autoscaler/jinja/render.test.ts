import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Value } from '../yaml/value.ts'
import { compileTemplate } from './render.ts'

type Case = { readonly template: string; readonly output?: string; readonly error?: string }
type Recorded = { readonly variables: Readonly<Record<string, unknown>>; readonly cases: readonly Case[] }

const recorded: Recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, 'jinja2-3.1.6.json'), 'utf8'))
const variables = valueOfJson(recorded.variables) as ReadonlyMap<string, Value>

/** Jinja2 renders these, and this interpreter refuses them by the name of what it does not know. */
const refusals: Readonly<Record<string, RegExp>> = {
  "<% 'x' * 2 %>": /operator \*/,
  '<% 2 ** 3 %>': /"\*\*"/,
  '<% 1 < 2 < 3 %>': /chain of comparisons/,
  '{% macro a() %}{% endmacro %}': /tag macro/,
  '<% s.__class__ %>': /member __class__/,
}

describe('the renderer of job templates', () => {
  it.each(recorded.cases.filter(({ template, output }) => output !== undefined && !refusals[template]))(
    'renders $template as Jinja2 does',
    ({ template, output }) => {
      expect(compileTemplate(template)(variables)).toEqual({ ok: true, text: output })
    },
  )

  it.each(recorded.cases.filter(({ error }) => error !== undefined))(
    'refuses $template as Jinja2 does',
    ({ template }) => {
      expect(compileTemplate(template)(variables)).toMatchObject({ ok: false, line: 1 })
    },
  )

  it.each(Object.entries(refusals))('refuses %s and names the reason', (template, sentence) => {
    expect(compileTemplate(template)(variables)).toMatchObject({ ok: false, sentence: expect.stringMatching(sentence) })
  })

  it('names the line of a problem', () => {
    expect(compileTemplate('a\nb\n<% s|nope %>\n')(variables)).toMatchObject({ ok: false, line: 3 })
    expect(compileTemplate('a\n{% if s %}\nb')(variables)).toMatchObject({ ok: false, line: 2 })
  })

  it.each([
    ['<% constructor %>', ''],
    ['<% m.constructor %>', ''],
    ["<% m['constructor'] %>", ''],
    ["<% m['__proto__'] %>", ''],
    ['<% l.length %>', ''],
    ['<% toString %>', ''],
  ])('reaches no object of JavaScript by %s', (template, text) => {
    expect(compileTemplate(template)(variables)).toEqual({ ok: true, text })
  })

  it.each([
    '<% m.constructor() %>',
    '<% s.constructor() %>',
    '<% s.toString() %>',
    '<% s|constructor %>',
    '<% s is toString %>',
  ])('calls no function of JavaScript by %s', (template) => {
    expect(compileTemplate(template)(variables)).toMatchObject({ ok: false })
  })

  it.each([
    ['open brackets', `<% ${'('.repeat(1e5)}`],
    ['a long chain of filters', `<% a ${'|trim'.repeat(1e4)} %>`],
    ['open tags', '{% if a %}'.repeat(2e4)],
    ['nested loops', '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}'],
    ['a text that doubles', `{% set s = 'aaaaaaaa' %}${'{% set s = s ~ s %}'.repeat(40)}`],
    ['a replacement that grows', `<% '${'a'.repeat(1e5)}'.replace('a', '${'b'.repeat(1e4)}') %>`],
    ['an indentation', "<% 'a'|indent(99999999) %>"],
    ['a product', `<% 9 ${'* 99999999999999999999999999'.repeat(300)} %>`],
    ['a range', '<% range(0, 999999999999) %>'],
    ['a template of a megabyte', ' '.repeat(1e6)],
    ['a chain of not', `<% ${'not '.repeat(900)} a %>`],
    ['nested lists', `<% ${'['.repeat(400)}${']'.repeat(400)} %>`],
  ])('refuses %s soon', (_name, template) => {
    expect(compileTemplate(template)(new Map())).toMatchObject({ ok: false })
  })
})

function valueOfJson(json: unknown): Value {
  if (Array.isArray(json)) return json.map(valueOfJson)
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json)
  if (typeof json !== 'object' || json === null) return json as Value
  return new Map(Object.entries(json).map(([key, value]) => [key, valueOfJson(value)]))
}
