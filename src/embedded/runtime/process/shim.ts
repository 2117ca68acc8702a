// The shim is a shell that starts a container's main process and writes its exit code to a file.
// So a container survives the end of this process, and its exit code is found afterwards.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The shell script. Its arguments are the container's directory and the command.
 * The main process has default signal handlers and writes both outputs to the log. The runtime sends no signal to the shell itself.
 */
const script = `d=$1
shift
echo $$ >"$d/shim"
exec 3>&2 2>/dev/null
(
  read -r pid rest </proc/self/stat
  echo "$pid" >"$d/main"
  exec "$@" 2>&3 3>&-
)
echo $? >"$d/exit"
`

/** Returns the arguments for `/bin/sh` that start `command` as the container in `directory`. */
export function shimArguments(directory: string, command: readonly string[]): string[] {
  return ['-c', script, 'dayfly-container', directory, ...command]
}

export type ShimState = {
  readonly shim: number | undefined
  /** The container's main process, once it has been forked. */
  readonly main: number | undefined
  readonly exitCode: number | undefined
}

/** Reads the files that the shim has written into the container's directory so far. */
export function readShim(directory: string): ShimState {
  return {
    shim: readNumber(join(directory, 'shim')),
    main: readNumber(join(directory, 'main')),
    exitCode: readNumber(join(directory, 'exit')),
  }
}

function readNumber(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    return text.endsWith('\n') ? Number.parseInt(text, 10) : undefined
  } catch {
    return undefined
  }
}
