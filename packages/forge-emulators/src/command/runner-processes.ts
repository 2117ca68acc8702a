// Registers runners at the emulated Bitbucket, and runs the small runner for each of them as a process of this machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { BitbucketEmulator } from '../bitbucket/emulator.ts'

export type RunnerPlan = {
  readonly emulator: BitbucketEmulator
  readonly clock: Clock
  readonly origin: string
  readonly workspace: string
  readonly accessToken: string
  readonly count: number
  /** The path of the small runner, a Node program. */
  readonly program: string
  /** The environment of every step, at least `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  /** Called for a process that ends by itself, with its exit code or its signal. */
  readonly onLost: (name: string, end: string) => void
}

/** A runner that ends takes a few seconds to end its step. */
const endMs = 10_000

/** Starts the processes. Resolves with a function that ends them and their steps, and removes their folders. */
export async function startRunners(plan: RunnerPlan): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-runners-'))
  const names = Array.from({ length: plan.count }, (_, index) => `runner-${index + 1}`)
  const children: ChildProcess[] = []
  let isEnding = false
  for (const name of names) {
    const directory = path.join(folder, name)
    mkdirSync(directory)
    const env = { ...plan.environment, ...(await register(plan, name)) }
    // In an own group, because Ctrl-C reaches every process of this one's group.
    const child = spawn(process.execPath, [plan.program], { cwd: directory, env, stdio: 'ignore', detached: true })
    child.once('exit', (code, signal) => isEnding || plan.onLost(name, String(code ?? signal)))
    children.push(child)
  }
  return async () => {
    isEnding = true
    await Promise.all(children.map((child) => end(child, plan.clock)))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Registers a runner and returns the environment of its process. */
async function register(plan: RunnerPlan, name: string): Promise<Record<string, string>> {
  const { emulator, origin, workspace, accessToken } = plan
  const call = async (method: 'GET' | 'POST', url: string, body?: object) => {
    const answer = await emulator.transport({
      method,
      path: url,
      query: {},
      headers: { authorization: `Bearer ${accessToken}` },
      body: body ? { kind: 'json', value: body } : { kind: 'none' },
      expect: 'whole',
    })
    return Object(answer.body.kind === 'json' ? answer.body.value : undefined)
  }
  const account = await call('GET', `/2.0/workspaces/${workspace}`)
  const runners = `/2.0/workspaces/${workspace}/pipelines-config/runners`
  const { uuid, oauth_client: client } = await call('POST', runners, { name, labels: ['linux'] })
  return {
    DAYFLY_EMULATOR: origin,
    ACCOUNT_UUID: String(account.uuid),
    RUNNER_UUID: String(uuid),
    OAUTH_CLIENT_ID: String(Object(client).id),
    OAUTH_CLIENT_SECRET: String(Object(client).secret),
  }
}

/** The first signal ends an idle runner, and the second one also ends a step. */
async function end(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  const timer = clock.after(endMs, () => child.kill('SIGKILL'))
  await ended
  timer.cancel()
}
