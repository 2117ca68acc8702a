// What stands between this process and a container: a shell that starts the main process and keeps its exit code in a file,
// so that a container outlives us and its end is found afterwards.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Arguments: the container's directory, then the command. The main process has the signals' defaults and the log as its two outputs; the shell itself is never signalled by us. */
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

/** The arguments for `/bin/sh` that start `command` as the container that stands in `directory`. */
export function shimArguments(directory: string, command: readonly string[]): string[] {
  return ['-c', script, 'dayfly-container', directory, ...command]
}

export type ShimState = {
  readonly shim: number | undefined
  /** The container's main process, once it has been forked. */
  readonly main: number | undefined
  readonly exitCode: number | undefined
}

/** What the shim has written into the container's directory so far. */
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
