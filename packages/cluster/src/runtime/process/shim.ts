// The shim is a shell that starts a container's main process and writes its exit code to a file.
// So a container survives the end of this process, and its exit code is found afterwards.
import { readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '@dayfly/kit/clock'
import { isAlive, type ProcessId, parseIdentity } from './proc-file.ts'

/**
 * The shell script. Its arguments are the container's directory and the command.
 *
 * Only one shim can take a directory, because it must create the file `shim`. So no command runs twice.
 * The file `exit` has its space from the start, so that a full disk cannot lose an exit code.
 * A container that signals its own process group must not end the shim. A trap protects the shim, and does not reach the main process.
 * The names of the variables are long, because the main process would get a changed variable of its own environment.
 */
const script = `dayfly_shim_directory=$1
shift
exec 3>&2 2>/dev/null
read -r dayfly_shim_stat </proc/self/stat
set -C
echo "$dayfly_shim_stat" >"$dayfly_shim_directory/shim" || exit
set +C
echo '    ' >"$dayfly_shim_directory/exit"
trap : HUP INT QUIT ALRM PIPE TERM USR1 USR2
(
  read -r dayfly_shim_stat </proc/self/stat
  echo "$dayfly_shim_stat" >"$dayfly_shim_directory/main"
  exec "$@" 2>&3 3>&-
)
echo $? 1<>"$dayfly_shim_directory/exit"
`

/** Returns the arguments for `/bin/sh` that start `command` as the container in `directory`. */
export function shimArguments(directory: string, command: readonly string[]): string[] {
  return ['-c', script, 'dayfly-container', directory, ...command]
}

export type ShimState = {
  /** Whether a shim has taken the directory. From then on the command may have run. */
  readonly hasBegun: boolean
  readonly shim: ProcessId | undefined
  /** The container's main process, once it has been forked. */
  readonly main: ProcessId | undefined
  readonly exit: { readonly code: number; readonly at: Instant } | undefined
}

/** Reads the files that the shim has written into the container's directory so far. */
export function readShim(directory: string): ShimState {
  const text = read(join(directory, 'shim'))
  const code = /^\d+(?=\n)/.exec(read(join(directory, 'exit')) ?? '')?.[0]
  return {
    hasBegun: text !== undefined,
    shim: parseIdentity(text),
    main: parseIdentity(read(join(directory, 'main'))),
    exit: code === undefined ? undefined : { code: Number(code), at: changedAt(join(directory, 'exit')) },
  }
}

/** Whether the shim still has to write an exit code. */
export function isShimAlive({ shim, exit }: ShimState): boolean {
  return exit === undefined && shim !== undefined && isAlive(shim)
}

function changedAt(path: string): Instant {
  return Math.round(statSync(path).mtimeMs)
}

/** Keeps the time that this process has given to the end, so that a later one gives the same. */
export function keepEnd(directory: string, at: Instant): void {
  try {
    utimesSync(join(directory, 'exit'), at / 1000, at / 1000)
  } catch {
    // The exit code was lost.
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
