import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileTemplate } from './template.ts'

type Case = { readonly template: string; readonly output?: string; readonly error?: string }
type Recorded = { readonly variables: Readonly<Record<string, unknown>>; readonly cases: readonly Case[] }

const recorded: Recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, 'jinja2-3.1.6.json'), 'utf8'))
const { variables } = recorded

/** Jinja2 renders these, and this interpreter refuses them by the name of what it does not know. */
const refusals: Readonly<Record<string, RegExp>> = {
  "<% 'x' * 2 %>": /operator "\*"/,
  '<% 1_000 %> <% 0x1F %>': /unexpected "_000"/,
  '<% 1e3 %> <% 1e20 %> <% 1e-5 %>': /unexpected "e3"/,
  '<% 1 < 2 < 3 %>': /chain of comparisons/,
  '{% macro a() %}{% endmacro %}': /tag macro/,
  '<% s.__class__ %>': /member __class__/,
}

/** Sets `s` to 64 kB, with tags that are short. */
const long = `{% set s = 'aaaaaaaa' %}${'{% set s = s ~ s %}'.repeat(13)}`

describe('the renderer of templates', () => {
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
    expect(compileTemplate('{% if e %}\na{% elif\n s|nope %}\n{% endif %}')(variables)).toMatchObject({ line: 2 })
    expect(compileTemplate('<% s %>\n\n<% s s %>\n<% s %>')(variables)).toMatchObject({ line: 3 })
    expect(compileTemplate('{% for x in l %}\n<% x %>\n{% endfor %}\n<% missing.x %>')(variables)).toMatchObject({
      line: 4,
      sentence: 'missing is undefined, so it has no x',
    })
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
    "<% s['constructor']['constructor']('return process')() %>",
    "<% strftime_now('%Y') %>",
  ])('calls no function of JavaScript by %s', (template) => {
    expect(compileTemplate(template)(variables)).toMatchObject({ ok: false })
  })

  it.each([
    ['open brackets', `<% ${'('.repeat(1e5)}`],
    ['a long chain of filters', `<% a ${'|trim'.repeat(1e4)} %>`],
    ['open tags', '{% if a %}'.repeat(2e4)],
    ['nested loops', '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}'],
    ['a text that doubles', `{% set s = 'aaaaaaaa' %}${'{% set s = s ~ s %}'.repeat(40)}`],
    ['a long tag', `<% '${'a'.repeat(1e5)}' %>`],
    ['a replacement that grows', `${long}<% s.replace('a', s) %>`],
    ['a list that is joined by a long text', `${long}<% range(9999)|join(s) %>`],
    ['an indentation', "<% 'a'|indent(99999999) %>"],
    ['a list in itself', '{% set n = namespace() %}{% set n.n = n %}<% n|tojson %>'],
    ['a list that doubles', `{% set l = [1, 2] %}${'{% set l = [l, l] %}'.repeat(40)}<% l == l %>`],
    ['a power', '<% 9 ** 9 ** 9 ** 9 %>'],
    ['elif after elif', `{% if a %}${'{% elif a %}'.repeat(2e4)}{% endif %}`],
    ['a product', `<% 9 ${'* 99999999999999999999999999'.repeat(300)} %>`],
    ['a range', '<% range(0, 999999999999) %>'],
    ['a template of a megabyte', ' '.repeat(1e6)],
    ['a chain of not', `<% ${'not '.repeat(900)} a %>`],
    ['nested lists', `<% ${'['.repeat(400)}${']'.repeat(400)} %>`],
  ])('refuses %s soon', (_name, template) => {
    expect(compileTemplate(template)({})).toMatchObject({ ok: false })
  })
})
