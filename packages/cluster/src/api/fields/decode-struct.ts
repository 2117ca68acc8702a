// Decodes JSON into the shape of a built-in kind, like Go's decoder. It refuses wrong types with Go's messages, and
// drops and reports unknown fields. Empty values are dropped or added as the Go type demands. The result shares nothing
// with the input.
import { timestamp } from '@dayfly/kit/timestamp'
import { copyJson, isObject, type JsonObject, jsonType } from '../values/json.ts'
import { parseQuantity, quantityProblem } from '../values/quantity.ts'
import { type FieldType, type Leaf, type Struct, structOf } from './fields.ts'

/** A value has the wrong type. The message is that of Go's decoder. */
export class DecodeError extends Error {}

/**
 * The position of a value below another one. `go` is its part of the name in Go's messages (empty for an item of a list),
 * `path` its part of the one for people. Only an error joins the parts.
 */
type Place = { readonly struct: string; readonly go: string; readonly path: string | number; readonly up?: Place }

/** @param unknown receives the path of each field that the struct does not have: `spec.containers[0].imag`. */
function decodeStruct(struct: Struct, value: object, up: Place, unknown: string[]): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const item: unknown = (value as JsonObject)[name]
    if (item === undefined) continue
    const field = struct.fields.get(name)
    if (field === undefined) unknown.push(pathOf({ struct: struct.name, go: name, path: name, up }))
    else if (item !== null) {
      const { type, go } = field
      const read = isPlain(type, item)
        ? item
        : decodeValue(type, item, { struct: struct.name, go, path: name, up }, unknown)
      if (field.empty !== 'dropped' || !isEmpty(read)) decoded[name] = read
    }
  }
  addAlways(struct, decoded)
  return decoded
}

/** Returns whether the value is its own decoded form. Most values are, and need no place for an error. */
function isPlain(type: FieldType, value: unknown): boolean {
  return (
    type.is === 'leaf' &&
    ((type.leaf === 'string' && typeof value === 'string') || (type.leaf === 'bool' && typeof value === 'boolean'))
  )
}

/** Adds the fields that an object of this struct always has. Go's `null` for lists and times is left out. */
export function addAlways(struct: Struct, decoded: Record<string, unknown>): void {
  for (const field of struct.always) {
    if (decoded[field.name] !== undefined) continue
    const { type } = field
    const empty = type.is === 'list' || type.is === 'map' ? undefined : zeroOf(type)
    if (empty !== undefined) decoded[field.name] = empty
  }
}

export function decodeValue(type: FieldType, value: unknown, place: Place, unknown: string[]): unknown {
  if (type.is === 'leaf') return decodeLeaf(type.leaf, type.go, value, place)
  if (type.is === 'list') {
    if (!Array.isArray(value)) throw wrongType(value, type.go, place)
    const { struct } = place
    return value.map((item, index) => {
      const below = { struct, go: '', path: index, up: place }
      return item === null ? zeroOf(type.of) : decodeValue(type.of, item, below, unknown)
    })
  }
  if (!isObject(value)) throw wrongType(value, type.go, place)
  if (type.is === 'map') {
    const decoded: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const item = value[key]
      if (item === undefined || key === '__proto__') continue
      decoded[key] = item === null ? zeroOf(type.of) : decodeValue(type.of, item, place, unknown)
    }
    return decoded
  }
  const struct = structOf(type.struct)
  return struct === undefined ? value : decodeStruct(struct, value, place, unknown)
}

function decodeLeaf(leaf: Leaf, go: string, value: unknown, place: Place): unknown {
  switch (leaf) {
    case 'any':
      return copyJson(value)
    case 'string':
      if (typeof value !== 'string') throw wrongType(value, go, place)
      return value
    case 'bool':
      if (typeof value !== 'boolean') throw wrongType(value, go, place)
      return value
    case 'float64':
      if (typeof value !== 'number') throw wrongType(value, go, place)
      return value
    case 'int32':
    case 'int64':
      return decodeInteger(leaf, go, value, place)
    case 'bytes':
      return decodeBytes(value, go, place)
    case 'Time':
    case 'MicroTime':
      return decodeTime(value, leaf)
    case 'Quantity':
      return decodeQuantity(value)
    case 'IntOrString':
      if (typeof value === 'string') return value
      return decodeInteger('int32', 'int32', value, place)
  }
}

function decodeInteger(size: 'int32' | 'int64', go: string, value: unknown, place: Place): number {
  if (typeof value !== 'number') throw wrongType(value, go, place)
  const fits = size === 'int64' ? Number.isSafeInteger(value) : Number.isInteger(value) && Math.abs(value) < 2 ** 31
  if (!fits) throw wrongType(value, go, place, `number ${value}`)
  return value
}

function decodeBytes(value: unknown, go: string, place: Place): string {
  if (typeof value !== 'string') throw wrongType(value, go, place)
  const bad = /[^A-Za-z0-9+/=\r\n]/.exec(value)
  if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`)
  const clean = value.replace(/[\r\n]/g, '')
  if (!/^[^=]*={0,2}$/.test(clean) || clean.length % 4 !== 0) {
    throw new DecodeError(`illegal base64 data at input byte ${clean.length - (clean.length % 4)}`)
  }
  return clean
}

/** The usual times, which are written as they are. The 29th day of a month may be none. */
const usualTimes = {
  Time: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  MicroTime: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
}

const timeLayout = ['2006', '-', '01', '-', '02', 'T', '15', ':', '04', ':', '05', 'Z07:00']

function decodeTime(value: unknown, leaf: 'Time' | 'MicroTime'): string {
  if (typeof value !== 'string') {
    throw new DecodeError(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`)
  }
  if (usualTimes[leaf].test(value)) return value
  if (leaf === 'Time' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) && !Number.isNaN(Date.parse(value)))
    return value
  const read = /^(\d{4})(-)(\d\d)(-)(\d\d)(T)(\d\d)(:)(\d\d)(:)(\d\d)(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/.exec(value)
  const at = Date.parse(value)
  if (read === null || Number.isNaN(at)) throw unparsedTime(value, leaf)
  if (leaf === 'Time') return timestamp(at)
  // The text may have microseconds, an Instant has milliseconds.
  return timestamp(at).replace('Z', `.${(read[12] ?? '').padEnd(6, '0').slice(0, 6)}Z`)
}

/** Returns Go's message: it names the first part of the layout that the text does not match. */
function unparsedTime(value: string, leaf: 'Time' | 'MicroTime'): DecodeError {
  const layout = timeLayout.join('').replace('Z', leaf === 'Time' ? 'Z' : '.000000Z')
  let rest = value
  let missing = timeLayout.at(-1)
  for (const part of timeLayout) {
    const matches = /^\d/.test(part) ? new RegExp(`^\\d{${part.length}}`).test(rest) : rest.startsWith(part)
    if (!matches) {
      missing = part
      break
    }
    rest = rest.slice(part.length)
  }
  return new DecodeError(`parsing time "${value}" as "${layout}": cannot parse "${rest}" as "${missing}"`)
}

function decodeQuantity(value: unknown): string {
  const read = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value).trim()) : undefined
  if (read === undefined) throw new DecodeError(quantityProblem)
  return read.text
}

function wrongType(value: unknown, go: string, place: Place, shown: string = jsonType(value)): DecodeError {
  const name = goNameOf(place)
  const where = name === '' ? 'Go value' : `Go struct field ${place.struct}.${name}`
  return new DecodeError(`json: cannot unmarshal ${shown} into ${where} of type ${go}`)
}

/** Returns whether Go leaves the value out of a field with `omitempty`. */
export function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  if (!isObject(value)) return false
  for (const _ in value) return false
  return true
}

/** The zero values by type. Times and free values have none: Go's is null. */
const zeroLeaves: { readonly [Type in Leaf]?: unknown } = {
  string: '',
  bytes: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  Quantity: '0',
  IntOrString: 0,
}

/** Returns Go's zero value as JSON. */
function zeroOf(type: FieldType): unknown {
  if (type.is === 'list') return []
  if (type.is === 'map') return {}
  if (type.is === 'struct') {
    const made: Record<string, unknown> = {}
    const struct = structOf(type.struct)
    if (struct !== undefined) addAlways(struct, made)
    return made
  }
  return zeroLeaves[type.leaf]
}

function pathOf({ path, up }: Place): string {
  const base = up === undefined ? '' : pathOf(up)
  if (typeof path === 'number') return `${base}[${path}]`
  return base === '' ? path : `${base}.${path}`
}

function goNameOf({ go, up }: Place): string {
  const base = up === undefined ? '' : goNameOf(up)
  return base === '' || go === '' ? base + go : `${base}.${go}`
}
