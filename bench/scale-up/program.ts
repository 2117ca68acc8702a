// A program of the benchmark in a process of its own: it reads lines from its standard input and writes lines of JSON.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type Program = {
  readonly pid: number
  /** Resolves with the next line of JSON. */
  next(): Promise<unknown>
  say(line: string): void
  signal(signal: NodeJS.Signals): void
  /** Asks the program to end, and waits for it. */
  end(): Promise<void>
}

export function startProgram(
  args: readonly string[],
  options: { readonly keepOutput?: boolean; readonly nodeArguments?: readonly string[] } = {},
): Program {
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), ...args], {
    stdio: ['pipe', options.keepOutput === false ? 'ignore' : 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = child.stdout ? createInterface({ input: child.stdout })[Symbol.asyncIterator]() : undefined
  return {
    pid: child.pid ?? 0,
    next: async () => {
      const line = await lines?.next()
      if (!line || line.done) throw new Error(`the program ${args[0]} ended without the expected line`)
      return JSON.parse(line.value) as unknown
    },
    say: (line) => void child.stdin?.write(`${line}\n`),
    signal: (signal) => void child.kill(signal),
    end: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
