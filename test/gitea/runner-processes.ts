// Runs the small runner as built, as a process for each registration at a real Gitea.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RegisteredRunner } from './open-gitea.ts'

const program = path.resolve(import.meta.dirname, '../../packages/forge-emulators/dist/runner.js')

export type RunnerProcess = {
  readonly name: string
  /** Resolves with the exit code, or with the signal that ended the runner. */
  readonly ended: Promise<{ readonly code: number | string; readonly output: string }>
  kill(signal: NodeJS.Signals): void
}

export interface RunnerProcesses {
  /** Starts a runner in a folder of its own, with its state file there. */
  start(runner: RegisteredRunner, ...labels: readonly string[]): Promise<RunnerProcess>
  /** Kills all runners, and removes their folders. */
  close(): Promise<void>
}

/** @param url the address of Gitea */
export async function openRunnerProcesses(url: string): Promise<RunnerProcesses> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-gitea-runners-'))
  const started: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = []
  return {
    start: async ({ id, uuid, name, token }, ...labels) => {
      const own = path.join(folder, name)
      await mkdir(own)
      const state = {
        id,
        uuid,
        name,
        token,
        address: url,
        labels: labels.map((label) => `${label}:host`),
        ephemeral: true,
      }
      await writeFile(path.join(own, '.runner'), JSON.stringify(state), { mode: 0o600 })
      const env = { PATH: process.env['PATH'], HOME: own, RUNNER_STATE_FILE: path.join(own, '.runner') }
      const child = spawn(process.execPath, [program], { cwd: own, env, stdio: ['ignore', 'pipe', 'inherit'] })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8')
      })
      const ended = new Promise<{ code: number | string; output: string }>((resolve) => {
        child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'none', output }))
      })
      started.push({ child, ended })
      return { name, ended, kill: (signal) => void child.kill(signal) }
    },
    close: async () => {
      for (const { child } of started) child.kill('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
