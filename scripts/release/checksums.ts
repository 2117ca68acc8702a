// Writes the checksums of the files of a release, as `sha256sum --check` reads them.
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Writes SHA256SUMS into the folder, for all files that it has. Returns its path. */
export async function writeChecksums(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort()
  const lines = names.map(async (name) => {
    const content = await readFile(path.join(folder, name))
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
  })
  const file = path.join(folder, 'SHA256SUMS')
  await writeFile(file, (await Promise.all(lines)).join(''))
  return file
}
