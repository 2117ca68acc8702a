import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyValues, keySet, splitLines } from './json-bytes.ts'

async function lines(chunks: readonly Uint8Array[], lineBytesMax = 1_000): Promise<string[]> {
  const source = async function* () {
    yield* chunks
  }
  const found: string[] = []
  for await (const { line, ended } of splitLines(source(), lineBytesMax)) found.push(`${line}${ended ? '' : '…'}`)
  return found
}

/** Does the work of `emptyValues` on a parsed value. */
function emptied(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => emptied(item, keys))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => {
    if (!keys.includes(key) || typeof item !== 'object' || item === null) return [key, emptied(item, keys)]
    return [key, Array.isArray(item) ? [] : {}]
  })
  return Object.fromEntries(entries)
}

describe('splitLines', () => {
  it('finds the same lines for any size of chunks', async () => {
    const text = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')))
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(40)), async (texts, sizes) => {
        const bytes = Buffer.from(texts.map((line) => `${line}\n`).join(''))
        const chunks: Uint8Array[] = []
        let from = 0
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size))
          from += size
        }
        chunks.push(bytes.subarray(from))
        expect(await lines(chunks)).toEqual(texts.filter((line) => line !== ''))
      }),
    )
  })

  it('marks a last line without a line feed', async () => {
    expect(await lines([Buffer.from('a\nb'), Buffer.from('c')])).toEqual(['a', 'bc…'])
    expect(await lines([])).toEqual([])
  })

  it('refuses an endless line before it fills the memory', async () => {
    const chunk = Buffer.alloc(400, 'x')
    await expect(lines([chunk, chunk, chunk])).rejects.toThrow('a line is longer than 1000 bytes')
  })
})

describe('emptyValues', () => {
  const empty = (json: string, keys: readonly string[] = ['gone', 'away']) =>
    emptyValues(Buffer.from(json), keySet(keys)).toString()

  it.each([
    ['{"gone":[1,[2,[3]],"]"],"kept":[4]}', '{"gone":[],"kept":[4]}'],
    ['{"gone":{"a":{"b":"}"}},"away":{},"x":[{"away":[{}]}]}', '{"gone":{},"away":{},"x":[{"away":[]}]}'],
    ['{"a":{"gone":[{"b":"\\\\"}]},"gone":["\\"]"]}', '{"a":{"gone":[]},"gone":[]}'],
    ['{"gone":"[","away":1,"x\\"gone":[1]}', '{"gone":"[","away":1,"x\\"gone":[1]}'],
    ['["\\"gone\\":[1]","gone",["gone"]]', '["\\"gone\\":[1]","gone",["gone"]]'],
    ['', ''],
  ])('%s', (json, expected) => expect(empty(json)).toBe(expected))

  it('leaves invalid JSON invalid', () => {
    for (const json of ['{"gone":[1', '{"gone":["]', '{"gone":{', '{"gon', '{"gone":["\\', '{"gone"', '{"gone":']) {
      expect(() => JSON.parse(empty(json)), json).toThrow()
    }
  })

  it('changes nothing else in any JSON, also after other JSON', () => {
    const keys = ['gone', 'away', '', 'ä']
    const seen = keySet(keys)
    const key = fc.oneof(fc.constantFrom(...keys, 'x"gone', '"gone":[', 'a', '\\'), fc.string())
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), key, tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    }))
    fc.assert(
      fc.property(value, value, (one, other) => {
        for (const json of [one, { gone: one, away: [other] }, [{ gone: one }, { away: [other], gone: other }]]) {
          const text = JSON.stringify(json)
          expect(JSON.parse(emptyValues(Buffer.from(text), seen).toString())).toEqual(emptied(JSON.parse(text), keys))
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
