// The demo's directory: everything it writes stands in it, and its name says whose it is, so that the next demo finds and ends
// what one that was killed has left.
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CliFailure } from '../failure.ts'
import { type FoundProcess, findProcesses, startTime } from './processes.ts'

export type Home = {
  readonly directory: string
  /** Where the cluster's runtime keeps its containers. */
  readonly cluster: string
  readonly kubeconfig: string
}

/** The variable by which the process runtime marks every process of a container. */
export const markVariable = 'DAYFLY_TOKEN'

const prefix = 'dayfly-demo-'
const endMs = 5_000
/** A process may fork while a pass goes on; it cannot outrun several. */
const atOncePasses = 5

/** Makes the directory of this process's demo, readable by its user alone. */
export function openHome(parent: string = tmpdir()): Home {
  const owner = `${prefix}${pidNamespace()}-${process.pid}-${startTime(process.pid)}-`
  return homeAt(mkdtempSync(join(realpathSync(parent), owner)))
}

/** Ends what demos have left whose process is gone. Resolves with their directories; those of living ones are not touched. */
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
  /** Ends every process of the home, and removes it. */
  remove(): Promise<void>
  /** The same without waiting for anything: for a process that is about to exit. */
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
      for (let pass = 0; pass < atOncePasses; pass++) for (const { pid } of findProcesses(mark)) kill(pid)
      removeHome(home)
    },
  }
}

/** Kills every process of the home by force, again until a pass finds none. Resolves with those that do not go. */
export async function endProcesses(home: Home, clock: Clock, ancestor?: number): Promise<readonly FoundProcess[]> {
  const deadline = clock.now() + endMs
  for (;;) {
    const found = findProcesses({ directory: home.cluster, variable: markVariable, ancestor })
    if (found.length === 0 || clock.now() > deadline) return found
    for (const { pid } of found) kill(pid)
    await clock.sleep(20)
  }
}

/** False when it is somebody else's, or something still writes to it. */
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

/** Pids mean something within one namespace only; /tmp may be shared by several. Throws a `CliFailure` where there is no /proc. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch (cause) {
    const sentence = 'The processes this command starts are found again in /proc, which this machine does not have.'
    const next = 'Run it on Linux, or in a Linux container.'
    throw new CliFailure({ code: 'unsupported-platform', sentence, next, exitCode: 1, cause })
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
