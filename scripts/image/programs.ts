// Copies programs of this machine into an image, with the shared libraries and the loader that they need.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TarEntry } from './tar.ts'

const run = promisify(execFile)

/** Returns the path of a program in PATH, or undefined. */
export function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => path.join(folder, name))
    .find(existsSync)
}

/** Returns one file of this machine as an entry of an image. */
export async function copied(file: string, to: string, mode = 0o755): Promise<TarEntry> {
  return { kind: 'file', path: to.replace(/^\//, ''), mode, content: await readFile(file) }
}

/**
 * Returns the libraries of all programs, each once, at the path where the loader searches for it.
 * @param root a folder with packages of another image, whose libraries come first
 */
export async function librariesOf(programs: readonly string[], root = ''): Promise<readonly TarEntry[]> {
  const found = new Set<string>()
  for (const program of programs) for (const library of await linked(program, root)) found.add(library)
  const inImage = (library: string) => (root !== '' && library.startsWith(root) ? library.slice(root.length) : library)
  return await Promise.all([...found].sort().map((library) => copied(library, inImage(library))))
}

/** Asks the loader, which prints `name => path (address)` for a library and `path (address)` for itself. */
async function linked(program: string, root: string): Promise<readonly string[]> {
  const folders = root === '' ? [] : librariesBelow(root)
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', LD_LIBRARY_PATH: folders.join(':') }
  const { stdout } = await run('ldd', [await realpath(program)], { env })
  const missing = /^\s*(\S+) => not found$/m.exec(stdout)
  if (missing) throw new Error(`${program} needs the library ${missing[1]}, which is not on this machine`)
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, file = '']) => file)
}

/** Returns the folders of Debian's libraries, which have the name of the processor. */
function librariesBelow(root: string): readonly string[] {
  return ['lib', 'usr/lib'].flatMap((at) =>
    readdirSync(path.join(root, at))
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => path.join(root, at, name)),
  )
}
