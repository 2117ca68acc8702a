// Finds the program of a container's command, so that a missing program is refused before anything starts.
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

export type FoundCommand =
  | { readonly is: 'found'; readonly path: string }
  /** `message` is the one of a real container runtime that cannot start a container; `why` is the end of it. */
  | { readonly is: 'missing'; readonly message: string; readonly why: string }

/** Finds an absolute name below the container's root first, then on this host. Searches a name without a slash along `path`. */
export function findCommand(name: string, root: string, workingDirectory: string, path: string): FoundCommand {
  const candidates = name.startsWith('/')
    ? [join(root, name), name]
    : name.includes('/')
      ? [join(workingDirectory, name)]
      : path
          .split(':')
          .flatMap((directory) => (directory === '' ? [] : [join(root, directory, name), join(directory, name)]))
  const found = candidates.find(isProgram)
  if (found) return { is: 'found', path: found }
  const problem = name.includes('/') ? whyMissing(name, candidates) : 'executable file not found in $PATH'
  const why = `exec: "${name}": ${problem}`
  return {
    is: 'missing',
    message: `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${why}`,
    why,
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function whyMissing(name: string, candidates: readonly string[]): string {
  const exists = candidates.some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
  return exists ? 'permission denied' : `stat ${name}: no such file or directory`
}
