// Runs the built command line inside this process, which takes a fifth of the processor time of a process of its own.
// A process still shows what this cannot: that the program ends by itself, is interrupted, or reads stdin (test/cli.ts).
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { type CliOptions, environmentOf, program } from './cli.ts'

/** The output of one run, and its exit code. */
export type Run = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

type Options = Pick<CliOptions, 'cwd' | 'environment'>

let runs = 0
let last: Promise<unknown> = Promise.resolve()

/** Runs the program once. Runs wait for each other, because they share the streams and the working directory of the process. */
export function runHere(args: readonly string[], options: Options = {}): Promise<Run> {
  const run = last.then(() => runAlone(args, options))
  last = run.catch(() => {})
  return run
}

async function runAlone(args: readonly string[], options: Options): Promise<Run> {
  const { argv, exitCode } = process
  const cwd = process.cwd()
  const resetEnvironment = setEnvironment(environmentOf(options))
  const [stdout, stderr] = [capture('stdout'), capture('stderr')]
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  process.chdir(options.cwd ?? cwd)
  try {
    // Each address is a module of its own, so that the program runs again. Its chunks are loaded once.
    await import(/* @vite-ignore */ `${pathToFileURL(program).href}?run=${runs++}`)
    return { code: Number(process.exitCode ?? 0), stdout: await stdout.end(), stderr: await stderr.end() }
  } finally {
    for (const { restore } of [stdout, stderr]) restore()
    resetEnvironment()
    process.chdir(cwd)
    Object.assign(process, { argv, exitCode })
  }
}

/** Replaces a stream of this process. */
function capture(name: 'stdout' | 'stderr') {
  const original = Object.getOwnPropertyDescriptor(process, name)
  const stream = new PassThrough()
  const written = text(stream)
  Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true })
  return {
    end: () => {
      stream.end()
      return written
    },
    restore: () => void (original && Object.defineProperty(process, name, original)),
  }
}

/** Changes the environment of this process, and returns what undoes that. */
function setEnvironment(changes: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const)
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  for (const [name, value] of Object.entries(changes)) set(name, value)
  return () => {
    for (const [name, value] of before) set(name, value)
  }
}
