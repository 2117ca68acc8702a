// Runs the commands of the guide as a reader does: in one shell after the other, with the variables of the earlier ones.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cacheFolder } from '../../../scripts/control-plane/go.ts'
import { clock } from '../client-place.ts'
import { root } from './images.ts'

export type ShellResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type Shell = ReturnType<typeof createShell>

/** Returns whether a command ends only with Ctrl-C. */
export function isEndless(commands: string): boolean {
  return /--watch\b|\bdayfly emulate\b/.test(commands)
}

const timeoutMs = 240_000

export function createShell(kubeconfig: string, containerd: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'guide-'))
  // The commands run at the top of the repository. The files that they write stay out of it, except those in dist/.
  for (const name of readdirSync(root)) symlinkSync(path.join(root, name), path.join(folder, name))
  const prefix = path.join(folder, 'global')
  let environment: NodeJS.ProcessEnv = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    HOME: folder,
    // The programs that the node cannot download.
    XDG_CACHE_HOME: path.dirname(cacheFolder()),
    NO_COLOR: '1',
    CONTAINERD_ADDRESS: containerd,
    npm_config_prefix: prefix,
    PATH: `${path.join(prefix, 'bin')}:${process.env['PATH']}`,
  }
  return {
    folder,
    /** Runs the commands until one fails, and keeps their variables. @param own replaces variables of the page */
    run: async (commands: string, own: Readonly<Record<string, string>>): Promise<ShellResult> => {
      const after = path.join(folder, 'environment')
      const script = `trap 'env -0 > "${after}"' EXIT\nset -aeuo pipefail\n${commands}`
      const result = await perform(script, { cwd: folder, env: environment }, isEndless(commands))
      environment = { ...readEnvironment(after), ...own }
      return result
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}

/** Returns whether a command has found something: it exits with 1, prints what it is, and reports no error. */
export function hasFound({ code, stdout, stderr }: ShellResult): boolean {
  return code === 1 && stdout !== '' && !/^error /m.test(stderr)
}

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv }

/** @param untilOutput presses Ctrl-C after the first output; the result is then 0 unless the commands ended before */
async function perform(script: string, place: Place, untilOutput: boolean): Promise<ShellResult> {
  const child = spawn('bash', ['-c', script], { ...place, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  let [seen, stopped] = [false, false]
  const stop = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    stopped = true
    process.kill(-child.pid, signal)
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
      if (!untilOutput || stream !== 'stdout' || seen) return
      // One Ctrl-C, as a second one would also end the trap that writes the variables.
      seen = true
      // A little later, so that the whole first picture is there.
      void clock.sleep(1_000).then(() => stop('SIGINT'))
    })
  }
  const timer = new AbortController()
  void clock.sleep(timeoutMs, timer.signal).then(
    () => stop('SIGKILL'),
    () => {},
  )
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  timer.abort()
  return { code: untilOutput && stopped && output.stdout !== '' ? 0 : code, ...output }
}

function readEnvironment(file: string): NodeJS.ProcessEnv {
  const entries = readFileSync(file, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}
