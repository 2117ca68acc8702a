// Reads the stored lives of a folder without taking it: the controller may keep the past there meanwhile.
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Followed } from '../history/followed.ts'
import { fieldsOf, readFollowed } from '../history/kept-life.ts'
import { segmentsOf } from './segments.ts'

export type StoredLives = {
  /** Each life as it was stored last. */
  readonly lives: readonly Followed[]
  /** Lines that cannot be read. The last line of a file that is being written does not count. */
  readonly broken: number
}

/** Rejects with the error of the file system if the folder cannot be read. */
export async function readStoredLives(folder: string): Promise<StoredLives> {
  const names = await readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: (await stat(path.join(folder, name))).size })),
  )
  const lives = new Map<string, Followed>()
  let broken = 0
  for (const { name } of segmentsOf(files)) {
    const lines = (await readFile(path.join(folder, name), 'utf8')).split('\n')
    const torn = lines.pop() ?? ''
    for (const line of torn === '' ? lines : [...lines, torn]) {
      if (line === '') continue
      const life = readLine(line)
      if (life) lives.set(`${life.life.set} ${life.life.id}`, life)
      else if (line !== torn) broken++
    }
  }
  return { lives: [...lives.values()], broken }
}

function readLine(line: string): Followed | undefined {
  try {
    return readFollowed(fieldsOf(JSON.parse(line)))
  } catch {
    return undefined
  }
}
