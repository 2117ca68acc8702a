// Runs the built command line in a temporary directory of its own, so that a test can find everything that it leaves behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const program = path.resolve('packages/dayfly/dist/dayfly.js')

type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The output of a program that has ended, and how it ended. */
export type CliResult = Ended & { readonly stdout: string; readonly stderr: string }

export type CliOptions = {
  /** The default is the working directory of this process. */
  readonly cwd?: string
  /** Changes to the environment of this process. An undefined value removes the variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Options of Node itself. */
  readonly node?: readonly string[]
  /** The path of another copy of the program. */
  readonly program?: string
}

export interface Cli {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout(): string
  stderr(): string
  /** Resolves with the first match in stderr. Rejects if the program ends without a match. */
  saw(pattern: RegExp): Promise<RegExpMatchArray>
}

/** A directory for temporary files. Only the programs that a test starts in it use it. */
export interface World {
  readonly directory: string
  start(...args: readonly string[]): Cli
  /** Starts another copy of the program. */
  startFrom(program: string, ...args: readonly string[]): Cli
  /** Returns the living processes that were started in this world, directly or not. */
  processes(): readonly string[]
  /** Returns the entries of the directory, without `own/`, which contains the test's own files. */
  files(): readonly string[]
  end(): void
}

export function createWorld(): World {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'world-')))
  return {
    directory,
    start: (...args) => startCli(args, { environment: { TMPDIR: directory } }),
    startFrom: (other, ...args) => startCli(args, { environment: { TMPDIR: directory }, program: other }),
    processes: () => pidsOf(directory).map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`),
    files: () => readdirSync(directory).filter((name) => name !== 'own'),
    end: () => {
      for (const pid of pidsOf(directory)) process.kill(pid, 'SIGKILL')
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

/** Polls every `pauseMs` until the condition returns a truthy value, and resolves with it. Throws after `ms`. */
export async function until<T>(
  what: string,
  ms: number,
  condition: () => T | Promise<T>,
  pauseMs = 10,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<T>
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Runs the program to its end without blocking this process, which may serve the program's requests. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const cli = startCli(args, options)
  const ended = await cli.ended
  return { ...ended, stdout: cli.stdout(), stderr: cli.stderr() }
}

/** Returns the changes to the environment. The logs of a repair are kept beside the test's own files, never in the home of the person who runs the tests. */
export function environmentOf({ cwd, environment }: CliOptions): Readonly<Record<string, string | undefined>> {
  return { NO_COLOR: '1', XDG_STATE_HOME: path.join(cwd ?? tmpdir(), 'state'), ...environment }
}

/** Starts the program without stdin. */
export function startCli(args: readonly string[], options: CliOptions = {}): Cli {
  const { cwd, node = [], program: file = program } = options
  const env = { ...process.env, ...environmentOf(options) }
  const child = spawn(process.execPath, [...node, file, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  const saw = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = output.stderr.match(pattern)
        if (!match) return
        listeners.delete(look)
        resolve(match)
      }
      listeners.add(look)
      look()
      void ended.then(({ code }) => reject(new Error(`ended with ${code} before ${pattern}:\n${output.stderr}`)))
    })
  return { child, ended, stdout: () => output.stdout, stderr: () => output.stderr, saw }
}

/** Finds processes by their environment or their working directory, and the descendants of those. */
function pidsOf(directory: string): number[] {
  const found = new Set<number>()
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isAlive(pid))
  for (const pid of pids) {
    const marked = read(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${directory}`)
    if (marked || cwdOf(pid).startsWith(directory)) found.add(pid)
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const pid of pids) if (found.has(Number(stat(pid)[1]))) found.add(pid)
  }
  return [...found]
}

function isAlive(pid: number): boolean {
  const [state = 'X'] = stat(pid)
  return state !== 'Z' && state !== 'X'
}

function stat(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`)
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
