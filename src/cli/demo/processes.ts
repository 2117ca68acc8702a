// Finds every process that a demo has started, directly or not: by the mark in its environment, by its working directory, by its parents.
// One that has left all three (its own session, an empty environment, another directory, a parent that has ended) cannot be told from a stranger's.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type FoundProcess = {
  readonly pid: number
  readonly command: string
  readonly by: 'environment' | 'directory' | 'parentage'
}

export type ProcessMark = {
  /** The directory under which every container of the demo stands. */
  readonly directory: string
  /** The environment variable whose value begins with that directory. */
  readonly variable: string
  /** All descendants of this process belong to the demo too. */
  readonly ancestor: number | undefined
}

type Row = { readonly pid: number; readonly parent: number }

/** One pass over /proc. Processes of other users, and the dead whom nobody has waited for, are left out; so is this process itself. */
export function findProcesses(mark: ProcessMark): readonly FoundProcess[] {
  const rows = readRows()
  const how = new Map<number, FoundProcess['by']>()
  for (const { pid } of rows) {
    if (pid === process.pid) continue
    if (carriesVariable(pid, mark)) how.set(pid, 'environment')
    else if (standsIn(pid, mark.directory)) how.set(pid, 'directory')
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

/** When the process started, in clock ticks since the machine did: with the pid it names one process for ever. Undefined: there is none. */
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

/** The fields of /proc/PID/stat from the state on; the name before them may hold anything. */
function readStat(pid: number): string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function carriesVariable(pid: number, { variable, directory }: ProcessMark): boolean {
  const environment = readText(`/proc/${pid}/environ`)
  return environment?.split('\0').some((entry) => isWithin(entry, `${variable}=${directory}`)) ?? false
}

function standsIn(pid: number, directory: string): boolean {
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

/** Undefined for a process that has ended meanwhile, or belongs to somebody else. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
