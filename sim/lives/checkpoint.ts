// Stores a run between two laps, so that a run of hours survives the end of its process. The state of the core is not part of it:
// a checkpoint ends each controller as a crash does, and the next one builds its state from lists.
import { isDeepStrictEqual } from 'node:util'
import { CheckpointError, storeCheckpoint, storedCheckpoint } from '../checkpoint-file.ts'

/** The plain values that the parts of a run change. Their order is the same in each process with the same plan. */
export type Memories = readonly object[]

type Stored = { readonly plan: object; readonly memories: Memories }

export function saveCheckpoint(file: string, plan: object, memories: Memories): void {
  storeCheckpoint(file, { plan, memories } satisfies Stored)
}

/** Puts the stored values into the parts of a run. Returns whether there is a file. Throws if it has another plan. */
export function loadCheckpoint(file: string, plan: object, memories: Memories): boolean {
  const found = storedCheckpoint(file)
  if (found.is === 'absent') return false
  const stored = found.is === 'stored' ? (found.content as Stored) : undefined
  if (!isDeepStrictEqual(stored?.plan, plan) || stored?.memories.length !== memories.length) {
    throw new CheckpointError(
      `${file} is not a checkpoint of this plan. Delete it, or run with the options of its run.`,
    )
  }
  for (const [index, memory] of memories.entries()) restore(memory, stored.memories[index])
  return true
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
