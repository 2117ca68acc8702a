import { randomInteger, seededRandom } from '@dayfly/kit/random'
import type { Path } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { readRuleFixtures } from '../../rule-fixtures.ts'
import { catalogue } from '../../rules/catalogue.ts'
import { parseNodes } from '../parse-nodes.ts'
import { splitDocuments } from '../split.ts'
import { findSpot } from '../spot.ts'
import { mutateText } from './mutate-text.fixture.ts'
import { parseFast } from './parse.ts'
import { findSpotFast } from './spot.ts'

const rounds = Number(process.env['DAYFLY_FUZZ_FILES'] ?? 3_000)
const documents = catalogue
  .flatMap(({ slug }) => readRuleFixtures(slug))
  .flatMap(({ text, withoutHazard, fixed }) => [text, withoutHazard, fixed].filter((each) => each !== undefined))
  .flatMap((text) => splitDocuments(text).map(({ start, end }) => text.slice(start, end)))

describe('the spot of a path without nodes', () => {
  it('equals that of the full parser, for each path of the rules’ pages', () => {
    const { asked, found } = compareAll(documents)
    expect(asked).toBeGreaterThan(5_000)
    expect(found / asked).toBeGreaterThan(0.6)
  })

  it(`is uncertain or the same, on ${rounds} mutated texts`, { timeout: 300_000 }, () => {
    const texts = Array.from({ length: rounds }, (_, seed) => {
      const random = seededRandom(seed + 1)
      return mutateText(random, documents[randomInteger(random, 0, documents.length - 1)] ?? '')
    })
    expect(compareAll(texts).found).toBeGreaterThan(rounds)
  })
})

function compareAll(texts: readonly string[]): { asked: number; found: number } {
  let asked = 0
  let found = 0
  for (const text of texts) {
    const read = parseFast(text)
    if (!read) continue
    const full = parseNodes(text)
    for (const one of pathsOf(read.value)) {
      asked++
      const spot = findSpotFast(text, one)
      if (!spot) continue
      found++
      const expected = findSpot(full, text, one)
      if (JSON.stringify(spot) !== JSON.stringify(expected)) {
        expect({ text, path: one, spot }).toEqual({ text, path: one, spot: expected })
      }
    }
  }
  return { asked, found }
}

/** Each path that exists, and one beside each that does not. */
function pathsOf(value: unknown, begin: Path = []): Path[] {
  const absent: Path[] = [
    [...begin, 'absent', 0],
    [...begin, 99],
  ]
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const steps = inner.flatMap(([key, entry]) => pathsOf(entry, [...begin, Array.isArray(value) ? Number(key) : key]))
  return [begin, ...absent, ...steps]
}
