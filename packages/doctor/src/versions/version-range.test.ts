import { describe, expect, it } from 'vitest'
import { minorsWithin } from './version-range.ts'

const all = [28, 29, 30, 31, 32, 33] as const

describe('a range of versions', () => {
  const cases: [range: string, first: number | undefined, last?: number][] = [
    ['>=1.29.0-0', 29, 33],
    ['>= 1.29', 29, 33],
    ['>1.29', 30, 33],
    ['>1.29.2', 29, 33],
    ['<1.30.0-0', 28, 29],
    ['<= 1.30', 28, 30],
    ['>= 1.29.0, < 1.32.0', 29, 31],
    ['>=1.29.0 <1.32.0', 29, 31],
    ['~1.30', 30, 30],
    ['~1.30.4', 30, 30],
    ['~1', 28, 33],
    ['^1.30.2-0', 30, 33],
    ['1.30.x', 30, 30],
    ['v1.30.1', 30, 30],
    ['1.29 - 1.31', 29, 31],
    ['1.28.x || ~1.29.0', 28, 29],
    ['*', 28, 33],
    ['>=1.16.0-0', 28, 33],
    ['<1.20', undefined],
    ['>=2', undefined],
  ]
  for (const [range, first, last = 0] of cases) {
    it(`${range} allows ${first === undefined ? 'none' : `1.${first} to 1.${last}`}`, () => {
      expect(minorsWithin(range, all)).toEqual(all.filter((minor) => minor >= (first ?? 99) && minor <= last))
    })
  }

  it('may exclude one version', () => expect(minorsWithin('!=1.30.x', all)).toEqual([28, 29, 31, 32, 33]))

  it('is undefined for any other text', () => {
    for (const text of ['', 'new', '>=', '1.2.3.4', '>=1.29 ||', '{{ x }}', '>=1.29.0 and more']) {
      expect(minorsWithin(text, all), text).toBeUndefined()
    }
  })
})
