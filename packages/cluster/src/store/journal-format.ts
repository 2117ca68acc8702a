// The bytes of a journal: how changes become records, and how a file becomes a state again. Pure: data-directory.ts has
// the effects.
//
// A file begins with a line that names the version, and a record with the revision and the number of objects of the
// snapshot. One record for each of these objects follows, and then one for each change since. A record is a line: the length of its
// JSON, the CRC-32 of its JSON and the CRC-32 of these two numbers, each in eight hexadecimal digits, then the JSON.
import { crc32 } from 'node:zlib'
import { keyOf, type ResourceKey, type StoredObject } from './object.ts'

/** One committed change. A removal names the key and has a revision of its own. */
export type Change =
  | { readonly is: 'put'; readonly resource: ResourceKey; readonly object: StoredObject }
  | { readonly is: 'remove'; readonly resource: ResourceKey; readonly key: string; readonly revision: number }

export type Snapshot = {
  readonly revision: number
  readonly objects: readonly { readonly resource: ResourceKey; readonly object: StoredObject }[]
}

export type Recovery =
  /** `bytes` is the length of the readable part. The rest is a record that was never written whole. */
  | { readonly is: 'recovered'; readonly snapshot: Snapshot; readonly bytes: number }
  | { readonly is: 'damaged'; readonly at: number; readonly why: string }
  | { readonly is: 'foreign'; readonly firstLine: string }

const firstLine = 'dayfly-journal 1\n'
/** Three numbers of eight digits, each with a space behind it. */
const headBytes = 27

export function encodeChange(change: Change): Buffer {
  if (change.is === 'put') return record({ r: change.resource, o: change.object })
  return record({ r: change.resource, k: change.key, v: change.revision })
}

/** Yields the bytes of a file that contains the snapshot and no change. */
export function* encodeSnapshot({ revision, objects }: Snapshot): Iterable<Buffer> {
  yield Buffer.from(firstLine)
  yield record({ v: revision, n: objects.length })
  for (const { resource, object } of objects) yield record({ r: resource, o: object })
}

function record(value: object): Buffer {
  const json = Buffer.from(JSON.stringify(value))
  const numbers = `${hex(json.length)} ${hex(crc32(json))}`
  return Buffer.concat([Buffer.from(`${numbers} ${hex(crc32(numbers))} `), json, Buffer.from('\n')])
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

/** Reads a file. Only its last record may be incomplete: a process that ended while it wrote leaves nothing else. */
export function recover(file: Buffer): Recovery {
  const start = file.subarray(0, firstLine.length).toString('latin1')
  if (start !== firstLine) return { is: 'foreign', firstLine: start.split('\n', 1)[0] ?? '' }
  const state = createState()
  let at = firstLine.length
  while (at < file.length) {
    const read = readRecord(file, at)
    if (read.is === 'torn') break
    const why = read.is === 'damaged' ? read.why : state.apply(read.json)
    if (why !== undefined) return { is: 'damaged', at, why }
    if (read.is === 'read') at = read.end
  }
  if (state.lacking() > 0) return { is: 'damaged', at, why: `the snapshot lacks ${state.lacking()} records` }
  return { is: 'recovered', snapshot: state.snapshot(), bytes: at }
}

type Read =
  | { readonly is: 'read'; readonly json: Buffer; readonly end: number }
  | { readonly is: 'torn' }
  | { readonly is: 'damaged'; readonly why: string }

function readRecord(file: Buffer, at: number): Read {
  if (file.length - at < headBytes) return { is: 'torn' }
  const head = /^([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) $/.exec(file.toString('latin1', at, at + headBytes))
  const [, length = '', sum = '', headSum = ''] = head ?? []
  if (head === null || hex(crc32(`${length} ${sum}`)) !== headSum) {
    // A machine that lost its power may leave a file whose end was never written.
    return isZero(file, at) ? { is: 'torn' } : { is: 'damaged', why: 'the head of a record is not readable' }
  }
  const end = at + headBytes + Number.parseInt(length, 16) + 1
  if (end > file.length) return { is: 'torn' }
  const json = file.subarray(at + headBytes, end - 1)
  if (hex(crc32(json)) === sum && file[end - 1] === 0x0a) return { is: 'read', json, end }
  return end === file.length ? { is: 'torn' } : { is: 'damaged', why: 'the checksum of a record does not match' }
}

function isZero(file: Buffer, from: number): boolean {
  return file.subarray(from).every((byte) => byte === 0)
}

/** Collects the records. `apply` returns why a record does not fit what came before it. */
function createState() {
  const kinds = new Map<ResourceKey, Map<string, StoredObject>>()
  let revision = -1
  let lacking = 1
  const objectsOf = (resource: ResourceKey): Map<string, StoredObject> => {
    const known = kinds.get(resource) ?? new Map<string, StoredObject>()
    kinds.set(resource, known)
    return known
  }
  const put = (resource: ResourceKey, object: StoredObject): string | undefined => {
    const { namespace, name, resourceVersion } = object.metadata
    if (lacking > 0) lacking--
    else if (Number(resourceVersion) === revision + 1) revision++
    else return `revision ${resourceVersion} follows ${revision}`
    objectsOf(resource).set(keyOf(namespace, name), object)
    return undefined
  }
  const apply = (json: Buffer): string | undefined => {
    const { r, o, k, v, n } = JSON.parse(json.toString()) as RecordJson
    if (revision < 0) {
      if (v === undefined || n === undefined) return 'the first record is no snapshot'
      revision = v
      lacking = n
      return undefined
    }
    if (r === undefined) return 'a record names no kind'
    if (o !== undefined) return put(r, o)
    if (k === undefined || v !== revision + 1) return `revision ${v} follows ${revision}`
    if (lacking > 0 || !objectsOf(r).delete(k)) return `${r} ${k} is removed and does not exist`
    revision = v
    return undefined
  }
  const snapshot = (): Snapshot => ({
    revision,
    objects: [...kinds].flatMap(([resource, objects]) => [...objects.values()].map((object) => ({ resource, object }))),
  })
  return { apply, snapshot, lacking: () => lacking }
}

type RecordJson = {
  readonly r?: ResourceKey
  readonly o?: StoredObject
  readonly k?: string
  readonly v?: number
  readonly n?: number
}
