// Keeps a store's state in a directory. Each change is appended to a journal before the store commits it. So a kill of the
// process at any point loses nothing that it acknowledged. It calls fsync once a second, so a machine that loses its power
// may lose the last second. After a write or fsync failed, nothing more is accepted: the kernel may have dropped what it could
// not write, and a second fsync does not report that.
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Clock, Timer } from '@dayfly/kit/clock'
import { type Change, encodeChange, encodeSnapshot, recover, type Snapshot } from './journal-format.ts'

/** Why a directory cannot be used, or can no longer be used. `path` is the file or directory with the problem. */
export class DataDirectoryError extends Error {
  readonly reason: 'in-use' | 'damaged' | 'foreign' | 'write-failed'
  readonly path: string

  constructor(reason: DataDirectoryError['reason'], path: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DataDirectoryError'
    this.reason = reason
    this.path = path
  }
}

export interface DataDirectory {
  /** The state at the last run's end. */
  readonly restored: Snapshot
  /** Appends a change. Throws if it cannot be written, and from the first failure on. */
  append(change: Change): void
  /** Writes a snapshot when the journal has grown enough since the last one. `take` returns the state. Throws like `append`. */
  compact(take: () => Snapshot): void
  /** Writes everything to the disk and releases the directory. */
  close(): Promise<void>
}

/** Receives the first failed write or fsync. The caller ends the process, so that nothing more is acknowledged. */
type OnFailure = (failure: DataDirectoryError) => void

const syncMs = 1_000
/** A journal is replaced by a snapshot when its changes are larger than the snapshot and than this. */
const compactBytes = 16 * 1024 * 1024
const emptySnapshot: Snapshot = { revision: 0, objects: [] }

/** Opens the directory and creates it if it is missing. Rejects with a `DataDirectoryError` or the system's error. */
export async function openDataDirectory(directory: string, clock: Clock, onFailure: OnFailure): Promise<DataDirectory> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(directory)
  try {
    return openJournal(directory, clock, lock, onFailure)
  } catch (error) {
    lock.close()
    throw error
  }
}

function openJournal(directory: string, clock: Clock, lock: Server, onFailure: OnFailure): DataDirectory {
  const file = join(directory, 'journal')
  rmSync(`${file}.new`, { force: true })
  const restored = readJournal(file)
  let journal = restored ? openAt(file, restored.bytes) : writeSnapshot(file, directory, emptySnapshot)
  let failure: DataDirectoryError | undefined
  const fail = (cause: unknown): DataDirectoryError => {
    if (failure !== undefined) return failure
    failure = writeFailed(file, cause)
    onFailure(failure)
    return failure
  }
  const attempt = (work: () => void): void => {
    if (failure !== undefined) throw failure
    try {
      work()
    } catch (error) {
      throw fail(error)
    }
  }
  const sync = syncEvery(clock, () => journal.handle, fail)
  const append = (change: Change): void => {
    const bytes = encodeChange(change)
    attempt(() => writeAll(journal.handle, bytes, journal.size))
    journal.size += bytes.length
    sync.wrote()
  }
  const compact = (take: () => Snapshot): void => {
    if (journal.size - journal.base < Math.max(compactBytes, journal.base)) return
    const old = journal.handle
    attempt(() => {
      journal = writeSnapshot(file, directory, take())
    })
    sync.replaced(old)
  }
  const close = async (): Promise<void> => {
    sync.stop()
    try {
      if (failure === undefined) fsyncSync(journal.handle)
      sync.replaced(journal.handle)
    } catch (error) {
      fail(error)
    }
    await new Promise<void>((resolve) => lock.close(() => resolve()))
  }
  return { restored: restored?.snapshot ?? emptySnapshot, append, compact, close }
}

function writeFailed(file: string, cause: unknown): DataDirectoryError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new DataDirectoryError('write-failed', file, `${file} cannot be written: ${why}.`, cause)
}

/** `base` is the size at which the changes began, as far as this process knows. */
type Journal = { readonly handle: number; size: number; readonly base: number }

/** Returns undefined if there is no journal. */
function readJournal(file: string): { readonly snapshot: Snapshot; readonly bytes: number } | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  const recovery = recover(readFileSync(file))
  if (recovery.is === 'recovered') return recovery
  if (recovery.is === 'damaged') {
    throw new DataDirectoryError('damaged', file, `${file} is damaged at byte ${recovery.at}: ${recovery.why}.`)
  }
  const found = JSON.stringify(recovery.firstLine)
  throw new DataDirectoryError('foreign', file, `${file} begins with ${found}, which this version cannot read.`)
}

/** Opens the journal for changes. Cuts off the record that was never written whole. */
function openAt(file: string, bytes: number): Journal {
  const handle = openSync(file, 'r+')
  ftruncateSync(handle, bytes)
  fsyncSync(handle)
  return { handle, size: bytes, base: bytes }
}

/** Replaces the journal by a snapshot: at any moment, the old or the new one is there whole. */
function writeSnapshot(file: string, directory: string, snapshot: Snapshot): Journal {
  const handle = openSync(`${file}.new`, 'w', 0o600)
  let size = 0
  for (const bytes of chunks(encodeSnapshot(snapshot))) {
    writeAll(handle, bytes, size)
    size += bytes.length
  }
  fsyncSync(handle)
  renameSync(`${file}.new`, file)
  const parent = openSync(directory, 'r')
  fsyncSync(parent)
  closeSync(parent)
  return { handle, size, base: size }
}

/** Joins small pieces, so that a snapshot needs few writes. */
function* chunks(pieces: Iterable<Buffer>): Iterable<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for (const piece of pieces) {
    waiting.push(piece)
    size += piece.length
    if (size < 1024 * 1024) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  yield Buffer.concat(waiting)
}

function writeAll(handle: number, bytes: Buffer, position: number): void {
  let done = 0
  while (done < bytes.length) done += writeSync(handle, bytes, done, bytes.length - done, position + done)
}

/** Calls fsync once a second while there are changes. A file is closed only when no such call is under way. */
function syncEvery(clock: Clock, handle: () => number, fail: (error: unknown) => void) {
  let timer: Timer | undefined
  let syncing: number | undefined
  let closing: number | undefined
  const wrote = (): void => {
    timer ??= clock.after(syncMs, () => {
      timer = undefined
      if (syncing !== undefined) return wrote()
      syncing = handle()
      fdatasync(syncing, (error) => {
        if (error) fail(error)
        syncing = undefined
        if (closing !== undefined) closeSync(closing)
        closing = undefined
      })
    })
  }
  const replaced = (old: number): void => {
    if (syncing === old) closing = old
    else closeSync(old)
  }
  return { wrote, replaced, stop: () => timer?.cancel() }
}

/**
 * Takes the directory for this process. The lock is an abstract socket of Linux, which the kernel releases when the
 * process ends, however it ends.
 */
async function lockDirectory(directory: string): Promise<Server> {
  const { dev, ino } = statSync(directory)
  const server = createServer((socket) => socket.destroy()).unref()
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE'
      const message = `Another process uses ${directory}.`
      reject(isTaken ? new DataDirectoryError('in-use', directory, message) : error)
    })
    server.listen(`\0dayfly-data-${dev}-${ino}`, () => resolve(server))
  })
}
