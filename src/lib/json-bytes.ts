// JSON as it comes from a socket: in lines, and with arrays that nobody reads left unparsed. Works on bytes, because text is made only of what is needed.

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

/**
 * The same JSON with every array that is the value of the key `name` emptied. Works in place and returns what is left of `json`.
 * Kubernetes' managedFields take a third of the time that a pod takes to parse, and are never read.
 */
export function emptyArrays(json: Buffer, name: string): Buffer {
  const opening = `"${name}":[`
  let { length } = json
  for (let at = json.indexOf(opening); at >= 0; at = json.indexOf(opening, at + opening.length)) {
    // Behind a backslash the quote belongs to a longer key, whose array is not meant.
    if (json[at - 1] === backslash) continue
    const first = at + opening.length
    const last = endOfArray(json, first, length)
    if (last === undefined) break
    json.copyWithin(first, last, length)
    length -= last - first
  }
  return length === json.length ? json : json.subarray(0, length)
}

/** Where the bracket stands that closes the array whose items begin at `start`; undefined when it never comes. */
function endOfArray(json: Buffer, start: number, length: number): number | undefined {
  let depth = 1
  for (let at = start; at < length; at++) {
    let byte = json[at]
    if (byte === quote) {
      for (byte = json[++at]; byte !== quote && at < length; byte = json[++at]) if (byte === backslash) at++
    } else if (byte === openBracket) depth++
    else if (byte === closeBracket && --depth === 0) return at
  }
  return undefined
}

const lineFeed = 0x0a
const quote = 0x22
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
