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

/** Keys to look for, by their length. */
export type KeySet = readonly (readonly Buffer[] | undefined)[]

export function keySet(keys: readonly string[]): KeySet {
  const byLength: Buffer[][] = []
  for (const key of keys) {
    const bytes = Buffer.from(key)
    byLength[bytes.length] = [...(byLength[bytes.length] ?? []), bytes]
  }
  return byLength
}

/**
 * The same JSON with the arrays and objects under the given keys emptied, which is faster than to parse them. Works in place and returns what is left
 * of `json`. What is no JSON stays none. Keys are compared as they are written: one with escapes is never found.
 */
export function emptyValues(json: Buffer, keys: KeySet): Buffer {
  let readTo = 0
  let keptTo = 0
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== quote) continue
    const key = at + 1
    at = endOfString(json, key)
    if (json[at + 1] !== colon) continue
    const opening = json[at + 2]
    if ((opening !== openBracket && opening !== openBrace) || !has(keys, json, { start: key, end: at })) continue
    const first = at + 3
    const last = endOfValue(json, first)
    json.copyWithin(keptTo, readTo, first)
    keptTo += first - readTo
    readTo = last
    at = last
  }
  if (readTo === 0) return json
  json.copyWithin(keptTo, readTo)
  return json.subarray(0, keptTo + json.length - readTo)
}

function has(keys: KeySet, json: Buffer, { start, end }: { readonly start: number; readonly end: number }): boolean {
  for (const key of keys[end - start] ?? []) {
    let same = 0
    while (same < key.length && key[same] === json[start + same]) same++
    if (same === key.length) return true
  }
  return false
}

/** Where the quote stands that ends the string whose text begins at `start`; the end of all where it never comes. */
function endOfString(json: Buffer, start: number): number {
  let at = start
  for (let byte = json[at]; byte !== quote && at < json.length; byte = json[++at]) if (byte === backslash) at++
  return at
}

/** Where the bracket or brace stands that ends the value whose content begins at `start`; the end of all where it never comes. */
function endOfValue(json: Buffer, start: number): number {
  let depth = 1
  for (let at = start; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at + 1)
    else if (byte === openBracket || byte === openBrace) depth++
    else if ((byte === closeBracket || byte === closeBrace) && --depth === 0) return at
  }
  return json.length
}

const lineFeed = 0x0a
const quote = 0x22
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
