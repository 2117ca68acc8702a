// Finds a busybox that needs no libraries, and installs it with a link for each of its commands.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { copied, findProgram } from './programs.ts'
import type { TarEntry } from './tar.ts'

const run = promisify(execFile)

export type Busybox = { readonly program: string; readonly lacking: string | undefined }

/** Returns the program, or what the machine lacks. */
export async function staticBusybox(): Promise<Busybox> {
  const program = findProgram('busybox')
  if (program === undefined) return { program: '', lacking: 'busybox (Debian: busybox-static)' }
  // A dynamically linked program contains the path of its loader.
  const isStatic = !(await readFile(program)).includes('/ld-')
  return {
    program,
    lacking: isStatic ? undefined : `a static busybox, but ${program} is dynamically linked (Debian: busybox-static)`,
  }
}

/** Returns the program and its commands in /bin. @param without commands that the image has from elsewhere */
export async function busyboxEntries(program: string, without: readonly string[] = []): Promise<readonly TarEntry[]> {
  const { stdout } = await run(program, ['--list'])
  const commands = stdout
    .trim()
    .split('\n')
    .filter((name) => name !== 'busybox' && !without.includes(name))
  return [
    await copied(program, 'bin/busybox'),
    ...commands.map((name): TarEntry => ({ kind: 'link', path: `bin/${name}`, mode: 0o777, target: 'busybox' })),
  ]
}
