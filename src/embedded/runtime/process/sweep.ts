// Ends what a process of ours that was killed has left: its containers and its data directory.
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import { parseStat, procReader } from './proc-file.ts'
import { type ProcessScan, processScan } from './processes.ts'

export type Sweep =
  | { readonly is: 'swept'; readonly processes: number }
  /** The process that made the data directory is alive. */
  | { readonly is: 'in-use'; readonly pid: number }
  | { readonly is: 'absent' }

/** Kills every process that belongs to the data directory, and removes it, unless its owner lives. */
export async function sweepDataDirectory(dataDirectory: string, clock: Clock): Promise<Sweep> {
  let data: string
  try {
    data = realpathSync(dataDirectory)
  } catch {
    return { is: 'absent' }
  }
  const owner = readOwner(data)
  if (owner && startOf(owner.pid) === owner.start) return { is: 'in-use', pid: owner.pid }
  const processes = await endEverything(processScan(data), clock)
  await rm(data, { recursive: true, force: true, maxRetries: 3 })
  return { is: 'swept', processes }
}

/** Notes in the data directory that it is ours while we live. @returns when we began: nothing in a new directory is older. */
export function claim(data: string): number {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const start = startOf(process.pid) ?? 0
  writeFileSync(join(data, 'owner'), `${process.pid} ${start}\n`)
  return start
}

/** Kills what the scan finds until it finds nothing; how many processes that were. */
export async function endEverything(scan: ProcessScan, clock: Clock): Promise<number> {
  const killed = new Set<number>()
  for (let found = scan.run(); found.length > 0; found = scan.run()) {
    for (const { pid } of found) {
      killed.add(pid)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself since the scan.
      }
    }
    await clock.sleep(5)
  }
  return killed.size
}

function readOwner(data: string): { readonly pid: number; readonly start: number } | undefined {
  try {
    const [pid, start] = readFileSync(join(data, 'owner'), 'utf8').trim().split(' ')
    return pid && start ? { pid: Number(pid), start: Number(start) } : undefined
  } catch {
    return undefined
  }
}

function startOf(pid: number): number | undefined {
  const text = procReader().read(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(text).start
}
