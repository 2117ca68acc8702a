// Starts a Gitea server on loopback, with an administrator and its token. It can crash, stop and start again with the same data and port.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { lastingPort } from '../control-plane/free-ports.ts'
import type { GiteaProgram } from './build.ts'
import { appIni, type Setting } from './settings.ts'

export interface GiteaServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly admin: GiteaAdmin
  /** Returns the id of the process; undefined while it is stopped. */
  pid(): number | undefined
  /** Runs a command of the program, and resolves with its output. */
  command(...words: readonly string[]): Promise<string>
  /** Ends the process: with SIGTERM it finishes its requests, with SIGKILL it crashes. Resolves when it has ended. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts the process again with the same data and port. Resolves when it answers. */
  start(): Promise<void>
  /** The file with the log of all starts. */
  readonly logFile: string
  /** Ends the process and removes every file. */
  close(): Promise<void>
}

export type GiteaAdmin = { readonly name: string; readonly password: string; readonly token: string }

export type GiteaOptions = {
  /** More settings. They replace those of the same name. */
  readonly settings?: readonly Setting[]
}

/** How long a start may take. Three seconds are usual. */
const readyMsMax = 120_000
/** How long the server may take to finish its requests. */
const stopMsMax = 20_000
const admin = { name: 'root1', password: 'secret-12345' } as const

/** Creates the data and starts the server. If it does not answer in time, it rejects, after it has removed everything. */
export async function startGitea(
  { program, assets }: GiteaProgram,
  signal: AbortSignal,
  { settings = [] }: GiteaOptions = {},
): Promise<GiteaServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-gitea-'))
  const port = await lastingPort()
  const { username: user, uid } = userInfo()
  const place: Place = {
    program: [program, '--work-path', folder, '--config', path.join(folder, 'app.ini')],
    // The server refuses to run as root by default.
    environment: { ...process.env, ...(uid === 0 ? { GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: 'true' } : {}) },
    url: `http://127.0.0.1:${port}`,
    log: path.join(folder, 'web.log'),
  }
  let child: ChildProcess | undefined
  const stop = async (by: 'SIGTERM' | 'SIGKILL') => {
    if (child) await end(child, by)
    child = undefined
  }
  const close = async () => {
    await stop('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  const start = async () => {
    child = serve(place)
    await answers(place, child, signal)
  }
  try {
    await mkdir(path.join(folder, 'data'))
    const ini = appIni({ folder, assets, port, user }, settings)
    await writeFile(path.join(folder, 'app.ini'), ini, { mode: 0o600 })
    const token = await createData(place)
    await start()
    return {
      url: place.url,
      admin: { ...admin, token },
      pid: () => child?.pid,
      command: (...words) => run(place, words),
      stop,
      start,
      logFile: place.log,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Place = {
  readonly program: readonly [string, ...string[]]
  readonly environment: NodeJS.ProcessEnv
  readonly url: string
  readonly log: string
}

/** Creates the tables and the administrator. Resolves with the token. */
async function createData(place: Place): Promise<string> {
  await run(place, ['migrate'])
  const { name, password } = admin
  const who = ['--username', name, '--password', password, '--email', `${name}@example.test`, '--admin']
  const how = ['--must-change-password=false', '--access-token', '--access-token-name', 'start']
  const output = await run(place, ['admin', 'user', 'create', ...who, ...how, '--access-token-scopes', 'all'])
  const token = /Access token was successfully created\W+([0-9a-f]{40})/.exec(output)?.[1]
  if (token === undefined) throw new Error(`Gitea printed no token:\n${output}`)
  return token
}

async function run({ program: [file, ...own], environment }: Place, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(file, [...own, ...words], { env: environment })
  return stdout + stderr
}

/** The server ends with this process, even if this process is killed. */
function serve({ program, environment, log }: Place): ChildProcess {
  const file = openSync(log, 'a')
  const bound = ['--pdeathsig', 'KILL', ...program, 'web']
  const child = spawn('setpriv', bound, { env: environment, stdio: ['ignore', file, file] })
  closeSync(file)
  return child
}

async function answers({ url, log }: Place, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + readyMsMax
  const failed = new Promise<Error>((resolve) => child.once('error', resolve))
  const isHealthy = () =>
    fetch(`${url}/api/healthz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isHealthy())) {
    signal.throwIfAborted()
    const error = await Promise.race([failed, sleep(50)])
    if (error) throw error
    const text = await readFile(log, 'utf8')
    // Without its port the server goes on without serving anything.
    const hasFailed = child.exitCode !== null || child.signalCode !== null || text.includes('Failed to start server')
    if (!hasFailed && performance.now() <= deadline) continue
    const what = hasFailed ? 'has failed' : `is not ready after ${readyMsMax / 1000} s`
    throw new Error(`Gitea ${what}:\n${text.slice(-3000)}`)
  }
}

async function end(child: ChildProcess, by: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)))
  child.kill(by)
  if (await Promise.race([ended, sleep(stopMsMax, false, { ref: false })])) return
  child.kill('SIGKILL')
  await ended
}
