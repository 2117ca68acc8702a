// Kills the remaining processes of containers. Containers that end at the same time share the passes over /proc. Passes are repeated until none is left.
import { dirname } from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { FoundProcess, ProcessScan } from './processes.ts'

export interface Reaper {
  /** Kills every process of the container in `directory` except `spare`. Resolves when none is left. */
  end(directory: string, spare?: number): Promise<void>
  /** Marks the container as living, so that its pod's volumes are in use. */
  living(directory: string): void
}

type Waiting = {
  readonly directory: string
  readonly spare: number | undefined
  done(): void
  fail(error: unknown): void
}

const firstPauseMs = 2
const longestPauseMs = 200

export function createReaper(scan: ProcessScan, clock: Clock): Reaper {
  const living = new Set<string>()
  const waiting = new Set<Waiting>()
  let running = false
  const pass = () => {
    const found = scan.run()
    for (const one of [...waiting]) {
      const rest = found.filter((process) => process.pid !== one.spare && belongs(process, one.directory, living))
      for (const process of rest) kill(process.pid)
      if (rest.length > 0) continue
      waiting.delete(one)
      one.done()
    }
  }
  const loop = async () => {
    running = true
    let pauseMs = firstPauseMs
    try {
      // Containers that end at the same moment share the first pass.
      await clock.sleep(0)
      for (pass(); waiting.size > 0; pass()) {
        await clock.sleep(pauseMs)
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
    } catch (error) {
      for (const one of waiting) one.fail(error)
      waiting.clear()
    } finally {
      running = false
    }
  }
  const end: Reaper['end'] = (directory, spare) => {
    if (spare === undefined) living.delete(directory)
    return new Promise((done, fail) => {
      waiting.add({ directory, spare, done, fail })
      if (!running) void loop()
    })
  }
  return { end, living: (directory) => void living.add(directory) }
}

/** Whether the process belongs to the container. If only the pod is known, the process belongs to the pod's last container. */
function belongs(process: FoundProcess, directory: string, living: ReadonlySet<string>): boolean {
  if (process.place === directory) return true
  const pod = dirname(directory)
  if (process.place !== `${pod}/volumes`) return false
  for (const other of living) if (dirname(other) === pod) return false
  return true
}

const endPauseMs = 5

/** Kills every process of every container, including containers that an earlier process started. */
export async function endEverything(scan: ProcessScan, clock: Clock): Promise<void> {
  for (let found = scan.run(); found.length > 0; found = scan.run()) {
    for (const { pid } of found) kill(pid)
    await clock.sleep(endPauseMs)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended since the scan found it.
  }
}
