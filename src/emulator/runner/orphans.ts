// Ends what the steps left running: every process whose environment carries this runner's tracking id, as the real runner does at a job's end.
import { readdirSync, readFileSync } from 'node:fs'

export type Orphan = { readonly pid: number; readonly name: string }

/** SIGKILL to each, until a look finds none that is new; returns what was found. Nothing where there is no /proc. */
export function endOrphans(trackingId: string, own: number): readonly Orphan[] {
  const ended = new Map<number, Orphan>()
  for (let look = 0; look < looksMax; look++) {
    const found = endOnce(trackingId, own).filter((orphan) => !ended.has(orphan.pid))
    for (const orphan of found) ended.set(orphan.pid, orphan)
    if (found.length === 0) break
  }
  return [...ended.values()]
}

/** A process may start others while it is being ended. */
const looksMax = 10

function endOnce(trackingId: string, own: number): readonly Orphan[] {
  const mark = `RUNNER_TRACKING_ID=${trackingId}\0`
  const orphans: Orphan[] = []
  for (const entry of listProcesses()) {
    const pid = Number(entry)
    if (pid === own || !Number.isInteger(pid)) continue
    if (!`${readProc(pid, 'environ')}\0`.includes(mark)) continue
    orphans.push({ pid, name: readProc(pid, 'comm').trim() })
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  return orphans
}

function listProcesses(): readonly string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
