// Puts a finished build in the place of an earlier one, while programs may start from it.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** The names of parts, which other files load by their names. */
const part = /-[0-9A-Z]{8}\.(?:js|css)$/

/**
 * Moves the files of a folder to another one of the same file system, and removes all others there. A file with the same content stays as it
 * is. Parts come before the files that load them, and go after them, so that a program can start at every moment.
 */
export async function publish(from: string, to: string): Promise<void> {
  const [built, before] = [await filesIn(from), await filesIn(to)]
  const partsFirst = [...built.filter((file) => part.test(file)), ...built.filter((file) => !part.test(file))]
  for (const file of partsFirst) await place(path.join(from, file), path.join(to, file))
  const kept = new Set(built)
  for (const file of before) if (!kept.has(file)) await rm(path.join(to, file), { force: true })
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name))).sort()
}

async function place(from: string, to: string): Promise<void> {
  const [built, before] = await Promise.all([readFile(from), readFile(to).catch(() => undefined)])
  if (before?.equals(built)) return
  await mkdir(path.dirname(to), { recursive: true })
  await rename(from, to)
}
