import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '@dayfly/kit/random'
import { describe, expect, it } from 'vitest'
import { parseNodes } from '../parse-nodes.ts'
import { manifest, mutateText } from './mutate-text.fixture.ts'
import { parseFast } from './parse.ts'

const texts = Number(process.env['DAYFLY_FUZZ_FILES'] ?? 5_000)

/** The result of the full parser; undefined: it refuses the text. */
function parseFully(text: string): { value: unknown } | undefined {
  const document = parseNodes(text)
  return document.errors.length > 0 ? undefined : { value: document.toJS() }
}

describe('the fast reader', () => {
  it('reads the constructs of a manifest', () => {
    expect(parseFast(manifest)).toEqual(parseFully(manifest))
    expect(parseFast(manifest)).toBeDefined()
  })

  it(`gives up, or agrees with the full parser, on ${texts} mutated texts`, { timeout: 300_000 }, () => {
    let read = 0
    for (let seed = 1; seed <= texts; seed++) {
      const text = mutateText(seededRandom(seed), manifest)
      const fast = parseFast(text)
      if (!fast) continue
      read++
      const full = parseFully(text)
      if (!full || !isDeepStrictEqual(fast.value, full.value)) {
        throw new Error(`seed ${seed}\n${text}\nfast ${JSON.stringify(fast)}\nfull ${JSON.stringify(full)}`)
      }
    }
    expect(read).toBeGreaterThan(texts / 10)
  })
})
