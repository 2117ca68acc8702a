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

/** The same JSON with every array that is the value of the key `name` emptied. Kubernetes' managedFields take half of the time that a pod takes to parse, and are never read. */
export function emptyArrays(json: Buffer, name: string): Buffer {
  const opening = `"${name}":[`
  const kept: Buffer[] = []
  let keptTo = 0
  for (let at = json.indexOf(opening); at >= 0; at = json.indexOf(opening, keptTo)) {
    const first = at + opening.length
    // Behind a backslash the quote belongs to a longer key, whose array is not meant.
    const last = json[at - 1] === backslash ? first : endOfArray(json, first)
    if (last === undefined) break
    kept.push(json.subarray(keptTo, first))
    keptTo = last
  }
  return kept.length === 0 ? json : Buffer.concat([...kept, json.subarray(keptTo)])
}

/** Where the bracket stands that closes the array whose items begin at `start`; undefined when it never comes. */
function endOfArray(json: Buffer, start: number): number | undefined {
  let depth = 1
  let inString = false
  for (let at = start; at < json.length; at++) {
    const byte = json[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket) depth++
    else if (byte === closeBracket && --depth === 0) return at
  }
  return undefined
}

const lineFeed = 0x0a
const quote = 0x22
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
