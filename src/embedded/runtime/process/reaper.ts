// Ends what is left of containers. Containers that end together share the passes over /proc; a pass is repeated until it finds nothing.

import { dirname } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import { kill } from './end-everything.ts'
import type { FoundProcess, ProcessScan } from './processes.ts'

export interface Reaper {
  /** Kills every process of the container that stands in `directory`, but not `spare`; resolves when none is left. */
  end(directory: string, spare?: number): Promise<void>
  /** The container counts as living: its pod's volumes are in use. */
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
      // What ends in the same moment is served by the same pass.
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

/** A process of which only the pod is known ends with the pod's last container. */
function belongs(process: FoundProcess, directory: string, living: ReadonlySet<string>): boolean {
  if (process.place === directory) return true
  const pod = dirname(directory)
  if (process.place !== `${pod}/volumes`) return false
  for (const other of living) if (dirname(other) === pod) return false
  return true
}
