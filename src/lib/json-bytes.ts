// JSON as it comes from a socket: in lines, and with what nobody reads left unparsed. Works on bytes, because text is made only of what is needed.

/** Splits chunks of any size at line feeds; empty lines are left out. Throws a RangeError beyond `lineBytesMax`; what follows the last line feed is yielded last, with `ended` false. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<{ readonly line: Buffer; readonly ended: boolean }> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const piece of chunks) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const part = chunk.subarray(start, end)
      const line = rest.length === 0 ? part : Buffer.concat([...rest, part])
      rest = []
      restBytes = 0
      start = end + 1
      if (line.length > 0) yield { line, ended: true }
    }
    if (start === chunk.length) continue
    rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax) throw new RangeError(`a line is longer than ${lineBytesMax} bytes`)
  }
  if (restBytes > 0) yield { line: Buffer.concat(rest), ended: false }
}

/** Keys to look for, by their length, each with the value last found under it. For one stream. */
export type KeySet = readonly (readonly Key[] | undefined)[]
type Key = { readonly name: Buffer; lastValue: Buffer }

export function keySet(names: readonly string[]): KeySet {
  const byLength: Key[][] = []
  for (const text of names) {
    const name = Buffer.from(text)
    byLength[name.length] = [...(byLength[name.length] ?? []), { name, lastValue: Buffer.alloc(0) }]
  }
  return byLength
}

/**
 * The same JSON with the arrays and objects under the given keys emptied, which takes a third of the time to parse them. Works in place and returns
 * what is left of `json`. What is no JSON stays none. Keys are compared as they are written: one with escapes is never found.
 */
export function emptyValues(json: Buffer, keys: KeySet): Buffer {
  const { length } = json
  let readTo = 0
  let keptTo = 0
  for (let at = 0; at < length; at++) {
    if (json[at] !== quote) continue
    const start = at + 1
    at = endOfString(json, start)
    if (json[at + 1] !== colon) continue
    const opening = json[at + 2]
    if (opening !== openBracket && opening !== openBrace) continue
    const key = find(keys, json, start, at)
    if (key === undefined) continue
    const first = at + 3
    at = endOfKnownValue(json, first, key)
    json.copyWithin(keptTo, readTo, first)
    keptTo += first - readTo
    readTo = at
  }
  if (readTo === 0) return json
  json.copyWithin(keptTo, readTo)
  return json.subarray(0, keptTo + length - readTo)
}

function find(keys: KeySet, json: Buffer, start: number, end: number): Key | undefined {
  const candidates = keys[end - start]
  if (candidates === undefined) return undefined
  for (const key of candidates) {
    const { name } = key
    let same = 0
    while (same < name.length && name[same] === json[start + same]) same++
    if (same === name.length) return key
  }
  return undefined
}

/** As `endOfValue`. Objects made from one template hold the same values again and again: the same bytes end at the same place, and to compare them is much faster. */
function endOfKnownValue(json: Buffer, start: number, key: Key): number {
  const { lastValue } = key
  const end = start + lastValue.length
  if (end > start && end <= json.length && json.compare(lastValue, 0, lastValue.length, start, end) === 0)
    return end - 1
  const found = endOfValue(json, start)
  if (found < json.length) key.lastValue = Buffer.from(json.subarray(start, found + 1))
  return found
}

/** Where the quote stands that ends the string whose text begins at `start`; the end of all where it never comes. */
function endOfString(json: Buffer, start: number): number {
  let at = start
  for (let byte = json[at]; byte !== quote; byte = json[++at]) {
    if (byte === undefined) return json.length
    if (byte === backslash) at++
  }
  return at
}

/** Where the bracket or brace stands that ends the value whose content begins at `start`; the end of all where it never comes. */
function endOfValue(json: Buffer, start: number): number {
  const { length } = json
  let depth = 1
  for (let at = start; at < length; at++) {
    const byte = json[at] ?? 0
    if (byte === quote) at = endOfString(json, at + 1)
    else if (byte >= openBracket) {
      if (byte === openBracket || byte === openBrace) depth++
      else if ((byte === closeBracket || byte === closeBrace) && --depth === 0) return at
    }
  }
  return length
}

const lineFeed = 0x0a
const quote = 0x22
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
