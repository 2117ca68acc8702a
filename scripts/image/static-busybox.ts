// Finds a busybox that needs no libraries: it runs in any root file system.
import { readFile } from 'node:fs/promises'
import { findProgram } from './programs.ts'

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
