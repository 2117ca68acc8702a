// Runs a command that uses an already started cluster. It inherits the output, and signals to this process interrupt it, too.
import { spawn } from 'node:child_process'

export type CommandLine = readonly [string, ...string[]]

/** Resolves with the command's exit code. @param end the signal for the command on an interruption. The default is the received signal. */
export function runBeside(
  [program, ...args]: CommandLine,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
  end?: NodeJS.Signals,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
    signal.addEventListener('abort', () => child.kill(end ?? (signal.reason as NodeJS.Signals)), { once: true })
    child.on('error', reject)
    child.on('exit', (code, by) => resolve(code ?? (by ? 130 : 1)))
  })
}

/** Returns a signal that is aborted with the name of the first termination signal. */
export function onInterruption(): AbortSignal {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort(signal))
  return interruption.signal
}
