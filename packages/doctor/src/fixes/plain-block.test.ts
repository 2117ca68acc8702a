import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { plainBlock, plainScalar } from './plain-block.ts'

const options = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false } as const

const usual = fc.constantFrom('docker', 'name', '/run/docker.sock', '--host=tcp://127.0.0.1:2375', '-c', 'k')
const strange = fc.oneof(
  fc.constantFrom(
    'yes',
    'Off',
    'y',
    'null',
    'TRUE',
    '~',
    '<<',
    '-',
    '--',
    '-1',
    '.inf',
    '-.inf',
    'a-',
    'a:',
    'e5',
    '-E-5',
  ),
  fc.constantFrom('1.30', 'a: b', 'a #b', '', 'x\ny', '='),
  fc.string({ unit: fc.constantFrom(...'aeZ0_.-/:= #~'), maxLength: 8 }),
)
const word = fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: strange })
const scalar = fc.oneof(word, fc.integer(), fc.boolean(), fc.constantFrom(null, 0.5, -0, 1e21, 2 ** 53))
const { root } = fc.letrec((tie) => ({
  root: fc.oneof(tie('list'), tie('mapping')),
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('mapping')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  mapping: fc.dictionary(word, tie('value'), { maxKeys: 3 }),
}))

describe('the writer of simple values', () => {
  it('writes what the library writes, or nothing', () => {
    let written = 0
    const manner = fc.record({ indent: fc.integer({ min: 1, max: 8 }), indentSeq: fc.boolean() })
    fc.assert(
      fc.property(root, manner, (each, how) => {
        const text = plainBlock(each, how)
        if (text === undefined) return
        written++
        expect(text).toBe(stringify(each, { ...how, ...options }).trimEnd())
      }),
      { numRuns: 3_000 },
    )
    expect(written).toBeGreaterThan(100)
  })

  it('writes a scalar as the library does, or not', () => {
    fc.assert(
      fc.property(scalar, (each) => {
        const text = plainScalar(each)
        if (text !== undefined) expect(text).toBe(stringify(each, options).trimEnd())
      }),
      { numRuns: 3_000 },
    )
  })

  it.each([
    [{ ttlSecondsAfterFinished: 600 }, 'ttlSecondsAfterFinished: 600'],
    [
      { exec: { command: ['docker', '--host=unix:///run/a', 'info'] } },
      'exec:\n  command:\n    - docker\n    - --host=unix:///run/a\n    - info',
    ],
    [[{ name: 'a', list: [[1], { b: true }] }], '- name: a\n  list:\n    - - 1\n    - b: true'],
  ])('writes the values of fixes itself: %j', (each, text) => {
    expect(plainBlock(each, { indent: 2, indentSeq: true })).toBe(text)
  })

  it('leaves a string that needs quotes to the library', () => {
    expect(['no', '1', 'a: b', '-', ' a', 'a-', '*a', ''].map(plainScalar)).toEqual(Array(8).fill(undefined))
  })
})
