// The demo's directory, which contains everything that the demo writes. Its name identifies the owning process: after a demo was killed,
// the next one finds its directory, kills its processes and removes it.
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import type { Clock } from '@dayfly/kit/clock'
import { type FoundProcess, findProcesses, startTime } from './processes.ts'

export type Home = {
  readonly directory: string
  /** The directory where the cluster's runtime keeps its containers. */
  readonly cluster: string
  readonly kubeconfig: string
}

/** The environment variable with which the process runtime marks every process of a container. */
export const markVariable = 'DAYFLY_TOKEN'

const prefix = 'dayfly-demo-'
const endMs = 5_000
/** So long an exit waits for the processes that it has killed. A killed process lives on for a moment, and may have forked before. */
const exitMs = 1_000
const passMs = 10

/** Creates the directory of this process's demo. Only its user may read it. */
export function openHome(parent: string = tmpdir()): Home {
  const owner = `${prefix}${pidNamespace()}-${process.pid}-${startTime(process.pid)}-`
  return homeAt(mkdtempSync(join(realpathSync(parent), owner)))
}

/** Kills the processes of demos whose own process is gone, and removes their directories. Resolves with the removed directories. */
export async function endAbandoned(clock: Clock, parent: string = tmpdir()): Promise<readonly string[]> {
  const real = realpathSync(parent)
  const ended: string[] = []
  for (const name of readdirSync(real)) {
    const match = /^dayfly-demo-(\d+)-(\d+)-(\d+)-\w+$/.exec(name)
    if (!match || match[1] !== pidNamespace() || startTime(Number(match[2])) === match[3]) continue
    const home = homeAt(join(real, name))
    const left = await endProcesses(home, clock)
    if (left.length === 0 && removeHome(home)) ended.push(home.directory)
  }
  return ended
}

export interface HomeKeeper {
  readonly home: Home
  /** Kills every process of the home and removes the home. */
  remove(): Promise<void>
  /** Does the same for a process that is about to exit: it blocks, at most for a second. */
  removeAtOnce(): void
}

export function homeKeeper(clock: Clock): HomeKeeper {
  const home = openHome()
  return {
    home,
    remove: async () => {
      await endProcesses(home, clock)
      removeHome(home)
    },
    removeAtOnce: () => {
      const mark = { directory: home.cluster, variable: markVariable, ancestor: process.pid }
      const deadline = clock.now() + exitMs
      for (let left = findProcesses(mark); left.length > 0; left = findProcesses(mark)) {
        for (const { pid } of left) kill(pid)
        if (clock.now() > deadline) break
        block(passMs)
      }
      removeHome(home)
    },
  }
}

/** Nothing else of this process runs meanwhile. An exit can wait in no other way. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Kills every process of the home with SIGKILL until a pass finds none. Resolves with those that still exist after 5 s. */
export async function endProcesses(home: Home, clock: Clock, ancestor?: number): Promise<readonly FoundProcess[]> {
  const deadline = clock.now() + endMs
  for (;;) {
    const found = findProcesses({ directory: home.cluster, variable: markVariable, ancestor })
    if (found.length === 0 || clock.now() > deadline) return found
    for (const { pid } of found) kill(pid)
    await clock.sleep(20)
  }
}

/** Removes the home. Returns false if it belongs to another user or if a process still writes to it. */
export function removeHome(home: Home): boolean {
  try {
    rmSync(home.directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
    return true
  } catch {
    return false
  }
}

function homeAt(directory: string): Home {
  return { directory, cluster: join(directory, 'cluster'), kubeconfig: join(directory, 'kubeconfig') }
}

/** Returns the id of the PID namespace, because several namespaces may share /tmp. Throws a `CliFailure` if there is no /proc. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch (cause) {
    const sentence = 'This command needs /proc to find the processes that it starts, and this machine has no /proc.'
    const next = 'Run the command on Linux or in a Linux container.'
    throw new CliFailure({ code: 'unsupported-platform', sentence, next, exitCode: 1, cause })
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
