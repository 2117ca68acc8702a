// Decodes objects from Kubernetes' protobuf form into JSON. Some Go clients always write this form, for example
// `kubectl create namespace`. Answers are always JSON, which they also read.
import { timestamp } from '@dayfly/kit/timestamp'
import { isObject, type JsonObject } from '../../api/values/json.ts'
import { type Leaf, type MessageType, messageOf } from './messages.ts'
import { readFields, WireError, type WireValue } from './wire-reader.ts'

/** Returns undefined for a kind that is not in the table. Throws a WireError for malformed bytes. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject | undefined {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'k8s\0')
    throw new WireError('the magic number is missing')
  const [meta, raw] = partsOf(bytes.subarray(4), [1, 2])
  const [apiVersion, kind] = partsOf(meta, [1, 2]).map(textOf)
  if (kind === undefined || messageOf(kind) === undefined) return undefined
  const decoded = decodeMessage(kind, bytesOf(raw), 0)
  return isObject(decoded) ? { apiVersion, kind, ...decoded } : undefined
}

/** A schema contains schemas. Deeper ones would exhaust the stack. */
const depthMax = 1_000

/** Returns an object, or the value of the last field that is the whole message. */
function decodeMessage(name: string, bytes: Uint8Array, depth: number): unknown {
  if (depth > depthMax) throw new WireError('the message nests too deeply')
  const fields = messageOf(name)
  const message: Record<string, unknown> = {}
  let whole: unknown
  const lists = new Map<string, unknown[]>()
  const maps = new Map<string, [string, unknown][]>()
  for (const { number, value } of readFields(bytes)) {
    const field = fields?.get(number)
    if (!field) continue
    const { type } = field
    if (type.is === 'list') append(lists, field.name, decodeValue(type.of, value, depth))
    else if (field.whole) whole = decodeValue(type, value, depth)
    else if (type.is === 'map') append(maps, field.name, decodeEntry(type.of, value, depth))
    else {
      const decoded = decodeValue(type, value, depth)
      if (field.name === '' && isObject(decoded)) Object.assign(message, decoded)
      else if (field.optional || !isZero(decoded)) message[field.name] = decoded
    }
  }
  whole = lists.get('') ?? whole
  if (whole !== undefined) return whole
  for (const [field, items] of lists) message[field] = items
  for (const [field, items] of maps) message[field] = Object.fromEntries(items)
  return message
}

function append<T>(lists: Map<string, T[]>, field: string, item: T): void {
  const items = lists.get(field)
  if (items) items.push(item)
  else lists.set(field, [item])
}

function decodeValue(type: MessageType, value: WireValue, depth: number): unknown {
  if (type.is === 'leaf' && typeof value === 'number') return type.leaf === 'bool' ? value !== 0 : value
  if (typeof value === 'number') throw new WireError('expected a message, found a number')
  if (type.is === 'leaf') return decodeLeaf(type.leaf, value)
  return type.is === 'message' ? decodeMessage(type.message, value, depth + 1) : undefined
}

function decodeEntry(type: MessageType, value: WireValue, depth: number): [string, unknown] {
  let key = ''
  let decoded: unknown = ''
  for (const part of readFields(bytesOf(value))) {
    if (part.number === 1) key = textOf(part.value) ?? ''
    else if (part.number === 2) decoded = decodeValue(type, part.value, depth)
  }
  return [key, decoded]
}

function decodeLeaf(leaf: Leaf, bytes: Uint8Array): unknown {
  switch (leaf) {
    case 'string':
      return textOf(bytes)
    case 'bytes':
      return Buffer.from(bytes).toString('base64')
    case 'Quantity':
      return textOf(partsOf(bytes, [1])[0])
    case 'float64':
      if (bytes.length !== 8) throw new WireError('expected a number of 8 bytes')
      return Buffer.from(bytes).readDoubleLE()
    case 'Raw':
      return JSON.parse(textOf(partsOf(bytes, [1])[0]) ?? 'null')
    case 'IntOrString': {
      const [type = 0, number = 0, text] = partsOf(bytes, [1, 2, 3])
      return type === 1 ? textOf(text) : number
    }
    case 'Time':
    case 'MicroTime':
      return decodeTime(bytes, leaf === 'MicroTime')
    case 'int':
    case 'bool':
      throw new WireError('expected a number, found bytes')
  }
}

/** The latest time that Date can represent, in seconds since the Unix epoch. */
const latestSeconds = 8_640_000_000_000

/** Returns null for a missing time. */
function decodeTime(bytes: Uint8Array, micro: boolean): string | null {
  const [seconds, nanos] = partsOf(bytes, [1, 2])
  if (typeof seconds !== 'number') return null
  if (Math.abs(seconds) > latestSeconds) throw new WireError('a time is out of range')
  if (!micro) return timestamp(seconds * 1000)
  const micros = typeof nanos === 'number' ? Math.trunc(nanos / 1000) : 0
  return timestamp(seconds * 1000).replace('Z', `.${String(micros).padStart(6, '0')}Z`)
}

/** Returns the last value of each of these field numbers. */
function partsOf(value: WireValue | undefined, numbers: readonly number[]): readonly (WireValue | undefined)[] {
  const found = new Map<number, WireValue>()
  for (const field of readFields(bytesOf(value))) found.set(field.number, field.value)
  return numbers.map((number) => found.get(number))
}

/** Returns the bytes of a message. A missing message is empty. */
function bytesOf(value: WireValue | undefined): Uint8Array {
  return value === undefined || typeof value === 'number' ? new Uint8Array() : value
}

function textOf(value: WireValue | undefined): string | undefined {
  return value === undefined || typeof value === 'number' ? undefined : Buffer.from(value).toString('utf8')
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true
  return isObject(value) && Object.keys(value).length === 0
}
