// Reads the protocol buffers encoding: numbered fields, each a number or a sequence of bytes.

/** A varint, or the bytes of a string, a byte array or a message. */
export type WireValue = number | Uint8Array

type WireField = { readonly number: number; readonly value: WireValue }

/** The bytes are not in this encoding. */
export class WireError extends Error {}

/** Yields the fields in order. Throws a WireError for malformed bytes. */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new WireError('the message ends too early')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
    throw new WireError('a number is longer than 10 bytes')
  }
  const run = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new WireError('the message ends too early')
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
        throw new WireError(`unknown wire type ${key & 7}`)
    }
  }
}
