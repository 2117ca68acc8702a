// Runs a command beside something that was started for it: its output is ours, and what interrupts us interrupts it.
import { spawn } from 'node:child_process'

export type CommandLine = readonly [string, ...string[]]

/** The exit code. `end`: what the command gets when we are interrupted, unless it is what we got. */
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

/** Aborts with the name of the signal that this process gets. */
export function onInterruption(): AbortSignal {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort(signal))
  return interruption.signal
}
