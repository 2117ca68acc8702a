// Starts a command beside a container's main process, in the container's environment and mounts.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { findCommand } from './command.ts'
import type { Container } from './follow.ts'
import { inNamespaceOf } from './mounts.ts'
import { readShim } from './shim.ts'

export type Spawned =
  | { readonly is: 'spawned'; readonly child: ChildProcess }
  /** The host cannot start it. The texts are those of `findCommand`. */
  | { readonly is: 'refused'; readonly message: string; readonly why: string }

/**
 * Starts the command as a process group of its own. Its processes have the container's mark, so they end with the container.
 * If its program cannot be executed, the child emits `error`.
 */
export function spawnIn(container: Container, command: readonly string[], stdio: StdioOptions): Spawned {
  try {
    return spawnFound(container, command, stdio)
  } catch (error) {
    // A word has a zero byte, or the words are too long.
    const { message } = error as Error
    return { is: 'refused', message, why: message }
  }
}

function spawnFound(container: Container, command: readonly string[], stdio: StdioOptions): Spawned {
  const { environment, workingDirectory } = container
  const found = findCommand(
    command[0] ?? '',
    environment['DAYFLY_ROOT'] ?? '',
    workingDirectory,
    environment['PATH'] ?? '',
  )
  if (found.is === 'missing') return { ...found, is: 'refused' }
  const { main } = readShim(container.directory)
  const plain = [found.path, ...command.slice(1)]
  const [program = '', ...args] = container.hasMounts && main !== undefined ? inNamespaceOf(main.pid, plain) : plain
  return {
    is: 'spawned',
    child: spawn(program, args, { cwd: workingDirectory, env: environment, stdio, detached: true }),
  }
}

/** Kills the process group of a command that `spawnIn` has started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole process group has already ended.
  }
}
