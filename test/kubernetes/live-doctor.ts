// Runs `dayfly doctor --live` as its users do, some hours in the future.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { jsonReport } from '../../src/doctor/reporters/shape.ts'
import { program } from '../cli.ts'

/** Milliseconds: every patience of a live rule is over by then. */
const late = 2 * 3_600_000
const clock = fileURLToPath(new URL('./late-clock.mjs', import.meta.url))

type Answer = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** In this folder, which keeps the logs of its repairs. */
export function liveDoctor(folder: string, kubeconfig: string, ...args: readonly string[]): Promise<Answer> {
  const command = [
    '--import',
    clock,
    program,
    'doctor',
    '--live',
    '--kubeconfig',
    kubeconfig,
    '--format',
    'json',
    ...args,
  ]
  const env = { ...process.env, NO_COLOR: '1', LATE_MS: String(late) }
  const child = spawn(process.execPath, command, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk
    })
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...output, code })))
}

/** `CODE Kind/name` of each finding of these namespaces, with its message, from which what differs by run is taken away. */
export function findingsIn({ stdout }: Answer, site: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings
    .filter(({ object }) => (object.namespace ?? object.name).startsWith(site))
    .map(({ code, object, message }) => `${code} ${object.kind}/${object.name}: ${plain(message, site)}`)
    .sort()
}

function plain(message: string, site: string): string {
  return message.replaceAll(site, 'SITE').replace(/\d+ (s|min|h|d)\b( \d+ (s|min)\b)?/g, 'TIME')
}
