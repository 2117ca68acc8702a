// Builds the small runner once for each test file and runs it as a real process.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildSync } from 'esbuild'

export interface RunnerProgram {
  readonly file: string
  /** Starts the runner in a temporary folder, which is removed after its end. */
  start(credential: string | undefined, env?: Readonly<Record<string, string>>): StartedRunner
  remove(): Promise<void>
}

type StartedRunner = {
  readonly pid: number
  readonly directory: string
  /** Resolves with the exit code, or with the signal that ended the runner. */
  readonly ended: Promise<{ readonly code: number | string; readonly output: string }>
  kill(signal: NodeJS.Signals): void
}

export async function runnerProgram(): Promise<RunnerProgram> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dayfly-runner-')))
  const file = path.join(folder, 'runner.mjs')
  const entryPoints = [path.resolve(import.meta.dirname, './main.ts')]
  // The asynchronous build would need a service process, which the tests of one process share and may kill.
  buildSync({
    entryPoints,
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    minify: true,
    // The bundled reader of YAML loads Node's own modules with `require`, as in scripts/build.ts.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  })
  let count = 0
  const start = (credential: string | undefined, env: Readonly<Record<string, string>> = {}): StartedRunner => {
    const cwd = path.join(folder, `run-${++count}`)
    const base = { PATH: process.env['PATH'] ?? '', HOME: folder, ...env }
    const variables = credential === undefined ? base : { ...base, ACTIONS_RUNNER_INPUT_JITCONFIG: credential }
    const script = 'mkdir -p "$1" && cd "$1" && exec "$2" "$3"'
    const child = spawn('/bin/sh', ['-c', script, 'sh', cwd, process.execPath, file], { env: variables })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-1_000_000)
    })
    child.stderr.pipe(process.stderr)
    const ended = new Promise<{ code: number | string; output: string }>((resolve) => {
      child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'none', output }))
    })
    return { pid: child.pid ?? 0, directory: cwd, ended, kill: (signal) => void child.kill(signal) }
  }
  return { file, start, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A process that has ended may stay as a zombie until its parent asks for its end. One that was just killed may live for a moment. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
