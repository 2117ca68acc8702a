// Stores a run between two laps, so that a run of hours survives the end of its process. The state of the core is not part of it:
// a checkpoint ends each controller as a crash does, and the next one builds its state from lists.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'

/** The plain values that the parts of a run change. Their order is the same in each process with the same plan. */
export type Memories = readonly object[]

type Stored = { readonly plan: object; readonly memories: Memories }

/** The file cannot be used. The message says why, and what to do. */
export class CheckpointError extends Error {}

/** Replaces the file as a whole, so that an end of the process in between leaves the one before. */
export function saveCheckpoint(file: string, plan: object, memories: Memories): void {
  try {
    writeFileSync(`${file}.new`, serialize({ plan, memories } satisfies Stored))
    renameSync(`${file}.new`, file)
  } catch (error) {
    throw new CheckpointError(`The checkpoint cannot be written: ${error}. Name a file in a folder that you may write.`)
  }
}

/** Puts the stored values into the parts of a run. Returns whether there is a file. Throws if it has another plan. */
export function loadCheckpoint(file: string, plan: object, memories: Memories): boolean {
  if (!existsSync(file)) return false
  const stored = readStored(file)
  if (!isDeepStrictEqual(stored?.plan, plan) || stored?.memories.length !== memories.length) {
    throw new CheckpointError(
      `${file} is not a checkpoint of this plan. Delete it, or run with the options of its run.`,
    )
  }
  for (const [index, memory] of memories.entries()) restore(memory, stored.memories[index])
  return true
}

function readStored(file: string): Stored | undefined {
  try {
    return deserialize(readFileSync(file)) as Stored
  } catch {
    return undefined
  }
}

/** Keeps the objects that others refer to, and replaces what is in them. */
function restore(target: object, stored: unknown): void {
  for (const [key, value] of Object.entries(stored ?? {})) {
    const present: unknown = Reflect.get(target, key)
    if (present instanceof Map && value instanceof Map) refill(present, value)
    else if (Array.isArray(present) && Array.isArray(value)) replace(present, value)
    else if (isSameColumn(present, value)) present.set(value)
    else Reflect.set(target, key, value)
  }
}

type Column = Uint8Array | Uint16Array | Int32Array | Float64Array

function isSameColumn(present: unknown, value: unknown): present is Column & { set(values: unknown): void } {
  return ArrayBuffer.isView(present) && ArrayBuffer.isView(value) && present.byteLength === value.byteLength
}

function replace(list: unknown[], values: readonly unknown[]): void {
  list.length = 0
  for (const value of values) list.push(value)
}

function refill(map: Map<unknown, unknown>, entries: ReadonlyMap<unknown, unknown>): void {
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}
