// Protocol buffers' own encoding: numbered fields, each a number or a run of bytes.

/** A varint, or the bytes of a string, of bytes, or of a message. */
export type WireValue = number | Uint8Array

export type WireField = { readonly number: number; readonly value: WireValue }

/** What is not this encoding. */
export class WireError extends Error {}

/** The fields in the order in which they stand. Throws a WireError for broken bytes. */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new WireError('it ends too early')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
    throw new WireError('a number is too long')
  }
  const run = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new WireError('it ends too early')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = varint()
    const number = key >>> 3
    switch (key & 7) {
      case 0:
        yield { number, value: varint() }
        break
      case 1:
        yield { number, value: run(8) }
        break
      case 2:
        yield { number, value: run(varint()) }
        break
      case 5:
        yield { number, value: run(4) }
        break
      default:
        throw new WireError(`there is no wire type ${key & 7}`)
    }
  }
}
