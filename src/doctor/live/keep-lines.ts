// A file of JSON lines for its owner alone: what an object was before it was changed, and what was done to it.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Adds one line and waits until it is on the disk. Rejects when it cannot be written, or when the file is a link. */
export async function keepLine(file: string, value: unknown): Promise<void> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW
  const handle = await open(file, flags, 0o600)
  try {
    // Also where it stood there before.
    await handle.chmod(0o600)
    await handle.appendFile(`${JSON.stringify(value)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
