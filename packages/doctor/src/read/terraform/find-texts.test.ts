import { isFull } from '@dayfly/kit/full.fixture'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFile } from '../decode/decode.ts'
import { filler } from '../template/template-value.ts'
import { indexLines, placeOf } from '../yaml/place.ts'
import { findTexts } from './find-texts.ts'
import { documentOf } from './object-document.ts'

const decode = (text: string) => decodeFile({ path: 'a.tf', text })
/** Returns the value of the object behind `x = `. */
const readValue = (text: string): unknown => {
  const [object] = findTexts(`x = ${text}\n`).objects
  return object && documentOf(object, text).value
}

describe('an object of Terraform', () => {
  const cases: [what: string, text: string, value: unknown][] = [
    [
      'scalars',
      '{ a = "b", c = 1.5\n d = -2e3\n e : true\n f = null }',
      { a: 'b', c: 1.5, d: -2000, e: true, f: null },
    ],
    ['nesting', '{ a = [1, [2,], { b = {} }] }', { a: [1, [2], { b: {} }] }],
    ['commas, newlines and comments', '{\n# c }\na = 1, // d\nb = /* = */ 2,\n\n}', { a: 1, b: 2 }],
    ['quoted keys, and keys with dashes', '{ "a.b/c" = 1, d-e = 2, for = 3 }', { 'a.b/c': 1, 'd-e': 2, for: 3 }],
    ['escapes', '{ a = "\\t\\"\\\\\\u00e9$${x}%%{y}" }', { a: '\t"\\é${x}%{y}' }],
    ['a heredoc', '{\na = <<-EOT\n    b\n      c\n  EOT\nd = 1 }', { a: 'b\n  c\n', d: 1 }],
    ['a key that stands for the prototype', '{ "__proto__" = 1 }', JSON.parse('{"__proto__": 1}')],
    ['references and calls', '{ a = var.x, b = f({ c = 1 }), d = 2 }', { a: filler, b: filler, d: 2 }],
    [
      'operators',
      '{ a = 1 + 2\n b = "x" == var.y ? [1] : [2]\n c = [for x in y : x]\n d = {}.e }',
      { a: filler, b: filler, c: filler, d: filler },
    ],
    ['interpolation', '{ a = "b-${var.x["c"]}-d" }', { a: `b-${filler}-d` }],
    ['directives', '{ a = "%{ if x }y%{ endif }" }', { a: `${filler}y${filler}` }],
    ['keys that are computed', '{ (var.k) = 1, "${var.l}/m" = 2 }', { [filler]: 1, [`${filler}/m`]: 2 }],
    ['an index in a list over lines', '{ a = [\n var.x\n [0],\n 1\n] }', { a: [filler, 1] }],
  ]
  for (const [what, text, value] of cases) {
    it(`is read with ${what}`, () => expect(readValue(text)).toEqual(value))
  }

  it('is neither the result of a loop nor a block', () => {
    expect(findTexts('x = { for k in y : k => 1 }\nblock "a" {\n kind = 1\n}\n').objects).toEqual([])
  })

  it('is open in a call that may add to it, and is found also if the rest is not read', () => {
    const text =
      'x = merge(yamldecode("a"), { kind = 1 })\ny = { a = yamlencode({ kind = 2 }) }\nz = jsonencode({ kind = 3 })\n'
    const found = findTexts(text).objects.map((object) => [documentOf(object, text).value, object.open])
    expect(found).toEqual([
      [{ kind: 1 }, true],
      [{ a: filler }, false],
      [{ kind: 2 }, false],
      [{ kind: 3 }, false],
    ])
  })
})

describe('a file of Terraform', () => {
  const pod = '{ apiVersion = "v1", kind = "Pod", spec = { containers = [{ name = "x" }] } }'
  const cases: [what: string, text: string][] = [
    ['a manifest', `resource "kubernetes_manifest" "a" {\n  manifest = ${pod}\n}\n`],
    ['an encoded value', `a = {\n  values = [yamlencode({ extra = [${pod}] }), <<EOT\n  x: 1\nEOT\n]\n}\n`],
    ['a condition', `locals {\n  a = var.x ? ${pod} : null\n}\n`],
    ['a call in a string of a map', `data = {\n  "a.yaml" = yamlencode(${pod})\n}\n`],
  ]
  for (const [what, text] of cases) {
    it(`yields the object in ${what}, at its line and column`, () => {
      const { objects, skipped } = decode(text)
      expect(skipped).toEqual([])
      expect(objects.map(({ value }) => value['kind'])).toEqual(['Pod'])
      const [object] = objects
      const place = object && placeOf(object, ['spec', 'containers', 0, 'name'], indexLines(text))
      expect(text.slice(place?.start, place?.end)).toBe('name = "x"')
      expect(object?.document.readonlyBecause).toMatch(/Terraform/)
    })
  }

  it('yields a heredoc in an object once, and can fix it', () => {
    const text =
      'a = {\n  kind = "ConfigMap", apiVersion = "v1"\n  data = {\n    a = <<-EOT\n      kind: Pod\n      apiVersion: v1\n      spec: {}\n    EOT\n  }\n}\n'
    const { objects } = decode(text)
    expect(objects.map(({ value, document }) => [value['kind'], document.readonlyBecause])).toEqual([
      ['Pod', undefined],
      ['ConfigMap', expect.stringMatching(/Terraform/)],
    ])
  })

  it('names the parts that it could not read', () => {
    const { objects, skipped } = decode('a = {\n  kind = "Pod"\n  b c\n}\n')
    expect(objects).toEqual([])
    expect(skipped).toEqual([{ file: 'a.tf', line: 3, reason: 'an object of Terraform: a key without a value' }])
  })

  it('is read to its end, with any content', () => {
    const part = fc.constantFrom(
      ...['{', '}', '[', ']', '(', ')', '"', '${', '%{', '\\', '\n', ' ', ',', '=', ':', '?', '<<E\n', '<<-E\n', 'E\n'],
      ...['kind = "Pod"', 'a', '= {', '= [', 'f(', '1', 'for x in y', '/*', '*/', '#', '//', 'apiVersion = "v1"\n'],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = `kind = {${parts.join('')}`
        for (const object of decode(text).objects) {
          const place = placeOf(object, ['kind'], indexLines(text))
          expect(place.start >= 0 && place.end <= text.length).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  // An object is read up to 20 times, so that fewer of them show the same.
  const objects = ['a = {', 'a = [{', 'a = f({', 'a = {a = 1 + {', 'a = {b = f({']
  const others = ['"${', '<<E\n', '/*', '(', '"${"']
  it.each([
    ...objects.map((part) => [part, isFull ? 4_000 : 1_000] as const),
    ...others.map((part) => [part, 20_000] as const),
  ])('%j, repeated, is read in time proportional to its length', (part, many) => {
    // A reader that looks back at each part needs 16 times as long for four times as many parts.
    expect(cost(part, many) / cost(part, many / 4)).toBeLessThan(10)
  })

  /** Returns the reader's processor time in microseconds: the lesser of two, because the machine has other work. Less than 5 ms counts as 5 ms. */
  function cost(part: string, many: number): number {
    const text = `kind = 1\n${part.repeat(many)}`
    const times = [1, 2].map(() => {
      const started = process.cpuUsage()
      decode(text)
      const { user, system } = process.cpuUsage(started)
      return user + system
    })
    return Math.max(5_000, Math.min(...times))
  }
})
