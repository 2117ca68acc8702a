// Replaces a file's content at once or not at all: a crash leaves the old one.
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/** `unique` tells two writers' temporary files apart. Throws when the file no longer holds `before`: somebody else wrote it. */
export async function replaceFile(
  file: string,
  { before, after }: { readonly before: string; readonly after: string },
  unique: string,
): Promise<void> {
  const target = await realpath(file)
  const { mode } = await stat(target)
  const current = await readFile(target)
  if (!current.equals(Buffer.from(before))) throw new Error(`${file} changed since it was read; run again`)
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${unique}`)
  try {
    const handle = await open(temporary, 'wx', mode & 0o777)
    try {
      await handle.chmod(mode & 0o777)
      await handle.writeFile(after)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
