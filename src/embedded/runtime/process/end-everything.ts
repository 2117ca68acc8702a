// Kills every process of every container, including containers that an earlier process started.
import type { Clock } from '../../../lib/clock.ts'
import type { ProcessScan } from './processes.ts'

const pauseMs = 5

/** Kills the processes that the scan finds, until it finds none. */
export async function endEverything(scan: ProcessScan, clock: Clock): Promise<void> {
  for (let found = scan.run(); found.length > 0; found = scan.run()) {
    for (const { pid } of found) kill(pid)
    await clock.sleep(pauseMs)
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended since the scan found it.
  }
}
