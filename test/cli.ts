// Runs the built command line as a user does, in a world of its own: what it leaves behind can be told from everything else on the machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const program = path.resolve('dist/dayfly.js')

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** What a program said until it ended, and how that was. */
export type Told = Ended & { readonly stdout: string; readonly stderr: string }

export type CliOptions = {
  /** This process's own unless given. */
  readonly cwd?: string
  /** Over this process's own; undefined takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Of Node itself. */
  readonly node?: readonly string[]
  /** Another copy of the program. */
  readonly program?: string
}

export interface Cli {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout(): string
  stderr(): string
  /** Resolves with the first match in stderr; rejects when the program ends without one. */
  saw(pattern: RegExp): Promise<RegExpMatchArray>
}

/** A directory for temporary files that only the programs started in it use. */
export interface World {
  readonly directory: string
  start(...args: readonly string[]): Cli
  /** Another copy of the program. */
  startFrom(program: string, ...args: readonly string[]): Cli
  /** Living processes that were started in this world, by whatever way. */
  processes(): readonly string[]
  /** What stands in the directory, but for what the test itself put there under `own/`. */
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

/** Polls until the condition holds; throws with what it last returned when `ms` have passed. */
export async function until<T>(what: string, ms: number, condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<T>
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Runs the program to its end. What serves it may live in this process, which goes on meanwhile. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<Told> {
  const cli = startCli(args, options)
  const ended = await cli.ended
  return { ...ended, stdout: cli.stdout(), stderr: cli.stderr() }
}

/** Without stdin, as where nobody sits before it. */
export function startCli(args: readonly string[], options: CliOptions = {}): Cli {
  const { cwd, environment, node = [], program: file = program } = options
  const env = { ...process.env, NO_COLOR: '1', ...environment }
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

/** By the environment, by the working directory, and by parentage of one found so. */
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
