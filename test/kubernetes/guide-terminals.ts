// The terminals of a reader who follows a page without a cluster: those that stay open, and the programs that the commands need.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { buildProgram } from '../../scripts/control-plane/build.ts'
import { until } from '../cli.ts'
import { findKubectl } from './kubectl.ts'
import type { Shell } from './node/guide-shell.ts'

/** Puts kubectl and Helm in the path of the commands. Resolves with the reason if one of them cannot be had. */
export async function provideTools({ folder }: Shell): Promise<string | undefined> {
  const kubectl = await findKubectl()
  const helm = await buildProgram('helm', new AbortController().signal)
  if (kubectl.is === 'missing') return kubectl.why
  if (helm.is === 'missing') return helm.why
  const bin = binOf(folder)
  mkdirSync(bin, { recursive: true })
  symlinkSync(helm.program, path.join(bin, 'helm'))
  if (kubectl.program !== 'kubectl') symlinkSync(kubectl.program, path.join(bin, 'kubectl'))
  return undefined
}

/** The folder of programs that comes first in the path of the commands. */
export function binOf(folder: string): string {
  return path.join(folder, 'global/bin')
}

export type Terminal = { readonly child: ChildProcess; output(): string }

/** Runs a command that stays open until Ctrl-C. */
export function openTerminal({ folder }: Shell, command: string): Terminal {
  const env = { ...process.env, PATH: `${binOf(folder)}:${process.env['PATH']}` }
  const child = spawn('bash', ['-c', command], {
    ...{ cwd: folder, env, detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return { child, output: () => output }
}

/** Signals the process group of a terminal, and resolves when its command has ended. */
export async function pressCtrlC({ child }: Terminal, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const end = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, signal)
  await end
}

/** Waits until the set remembers that the job has succeeded, and its runner is gone. */
export async function jobEnded(shell: Shell, job: string): Promise<void> {
  await until(`${job} has ended`, 60_000, async () => {
    const pods = await shell.run('kubectl -n ci get pods -o name', {})
    const { stdout } = await shell.run(`dayfly explain job/${job} -n ci`, {})
    return pods.code === 0 && pods.stdout === '' && /succeeded|: success\./.test(stdout)
  })
}
