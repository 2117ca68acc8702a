// The file from which a run goes on in another process. Each simulation says what it stores.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

/** The file cannot be used. The message says why, and what to do. */
export class CheckpointError extends Error {}

/** Replaces the file as a whole: a process that ends in the middle leaves the one before. Throws a `CheckpointError`. */
export function storeCheckpoint(file: string, content: object): void {
  try {
    writeFileSync(`${file}.new`, serialize(content))
    renameSync(`${file}.new`, file)
  } catch (error) {
    throw new CheckpointError(`The checkpoint cannot be written: ${error}. Name a file in a folder that you may write.`)
  }
}

/** Returns the content of the file, which is `unreadable` if nothing here has written it. */
export function storedCheckpoint(file: string): { readonly is: 'absent' | 'unreadable' } | Stored {
  if (!existsSync(file)) return { is: 'absent' }
  try {
    return { is: 'stored', content: deserialize(readFileSync(file)) }
  } catch {
    return { is: 'unreadable' }
  }
}

type Stored = { readonly is: 'stored'; readonly content: unknown }
