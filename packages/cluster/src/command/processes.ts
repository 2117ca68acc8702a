// Finds every process that a demo has started: by the mark in its environment, by its working directory, or by its parents.
// A process with none of the three cannot be distinguished from processes of other programs.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type FoundProcess = {
  readonly pid: number
  readonly command: string
  readonly by: 'environment' | 'directory' | 'parentage'
}

export type ProcessMark = {
  /** The directory that contains the directories of all containers of the demo. */
  readonly directory: string
  /** The environment variable whose value begins with that directory. */
  readonly variable: string
  /** All descendants of this process belong to the demo, too. */
  readonly ancestor: number | undefined
}

type Row = { readonly pid: number; readonly parent: number }

/** Reads /proc once. Leaves out processes of other users, zombies and this process itself. */
export function findProcesses(mark: ProcessMark): readonly FoundProcess[] {
  const rows = readRows()
  const how = new Map<number, FoundProcess['by']>()
  for (const { pid } of rows) {
    if (pid === process.pid) continue
    if (carriesVariable(pid, mark)) how.set(pid, 'environment')
    else if (runsIn(pid, mark.directory)) how.set(pid, 'directory')
  }
  for (let grown = true; grown; ) {
    grown = false
    for (const { pid, parent } of rows) {
      if (how.has(pid) || pid === process.pid || !(parent === mark.ancestor || how.has(parent))) continue
      how.set(pid, 'parentage')
      grown = true
    }
  }
  return [...how].map(([pid, by]) => ({ pid, by, command: commandOf(pid) }))
}

/**
 * Returns when the process started, in clock ticks since the machine's start, or undefined if it does not exist. Together with the PID, it
 * identifies a process uniquely.
 */
export function startTime(pid: number): string | undefined {
  return readStat(pid)?.[19]
}

function readRows(): Row[] {
  const rows: Row[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const [state, parent] = readStat(pid) ?? []
    if (state !== undefined && state !== 'Z' && state !== 'X') rows.push({ pid, parent: Number(parent) })
  }
  return rows
}

/** Returns the fields of /proc/PID/stat from the state on. The name before the state may contain any character. */
function readStat(pid: number): string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function carriesVariable(pid: number, { variable, directory }: ProcessMark): boolean {
  const environment = readText(`/proc/${pid}/environ`)
  return environment?.split('\0').some((entry) => isWithin(entry, `${variable}=${directory}`)) ?? false
}

function runsIn(pid: number, directory: string): boolean {
  try {
    return isWithin(readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, ''), directory)
  } catch {
    return false
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

function commandOf(pid: number): string {
  return (readText(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim().slice(0, 200)
}

/** Returns undefined if the process has ended or belongs to another user. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
