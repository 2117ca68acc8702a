// Appends to a file of JSON lines that only its owner can read: previous states of objects, and the action log.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Adds one line and waits until it is on the disk. Rejects if it cannot be written, or if the file is a link. */
export async function keepLine(file: string, value: unknown): Promise<void> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW
  const handle = await open(file, flags, 0o600)
  try {
    // The file may have existed with another mode.
    await handle.chmod(0o600)
    await handle.appendFile(`${JSON.stringify(value)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
