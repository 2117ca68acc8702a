// Ends whatever is left of every container, whoever started it.
import type { Clock } from '../../../lib/clock.ts'
import type { ProcessScan } from './processes.ts'

const pauseMs = 5

/** Kills what the scan finds until it finds nothing. */
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
    // It has ended by itself since it was found.
  }
}
