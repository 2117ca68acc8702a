// Kills the processes that steps left running. As in the real runner, a process belongs to the job if its environment has the tracking id.
import { readdirSync, readFileSync } from 'node:fs'

export type Orphan = { readonly pid: number; readonly name: string }

/** Sends SIGKILL to each orphan until a pass finds no new one. Returns all that were found; none if there is no /proc. */
export function endOrphans(trackingId: string, own: number): readonly Orphan[] {
  const ended = new Map<number, Orphan>()
  for (let pass = 0; pass < passesMax; pass++) {
    const found = endOnce(trackingId, own).filter((orphan) => !ended.has(orphan.pid))
    for (const orphan of found) ended.set(orphan.pid, orphan)
    if (found.length === 0) break
  }
  return [...ended.values()]
}

/** The maximum number of passes. A process may start others while it is being killed. */
const passesMax = 10

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
      // The process has already ended.
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
