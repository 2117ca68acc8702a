import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '@dayfly/kit/random'
import { describe, expect, it } from 'vitest'
import { isMap, isScalar, isSeq } from 'yaml'
import { parseNodes } from '../parse-nodes.ts'
import { manifest, mutateText } from './mutate-text.fixture.ts'
import { parseNodesFast } from './nodes.ts'

const texts = Number(process.env['DAYFLY_FUZZ_FILES'] ?? 5_000)

/** The parts of a node that splices and places use. */
function outline(node: unknown): unknown {
  if (isScalar(node)) return [node.type, node.value, node.range?.[0], node.range?.[1]]
  if (!isMap(node) && !isSeq(node)) return node
  const place = node.flow ? [node.range?.[0], node.range?.[1]] : [node.range?.[0]]
  const items = isSeq(node)
    ? node.items.map(outline)
    : node.items.map((pair) => [outline(pair.key), outline(pair.value)])
  return { flow: node.flow === true, place, items }
}

const full = (text: string) => parseNodes(text).contents

describe('the nodes of the fast reader', () => {
  it('equal those of the full parser', () => {
    expect(outline(parseNodesFast(manifest)?.contents)).toEqual(outline(full(manifest)))
  })

  it(`are missing, or equal those of the full parser, in ${texts} mutated texts`, { timeout: 300_000 }, () => {
    let read = 0
    for (let seed = 1; seed <= texts; seed++) {
      const text = mutateText(seededRandom(seed), manifest)
      const fast = parseNodesFast(text)
      if (!fast) continue
      read++
      if (!isDeepStrictEqual(outline(fast.contents), outline(full(text)))) {
        expect(outline(fast.contents), `seed ${seed}\n${text}`).toEqual(outline(full(text)))
      }
    }
    expect(read).toBeGreaterThan(texts / 10)
  })
})
