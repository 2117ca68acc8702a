// Reads the small files of /proc with one buffer. `readFileSync` allocates 64 KiB for each file, and a pass reads hundreds.
import { closeSync, openSync, readSync } from 'node:fs'

export interface ProcReader {
  /** Returns the whole file, or undefined if the process has ended or access is denied. */
  read(path: string): string | undefined
}

export function procReader(): ProcReader {
  let buffer = Buffer.allocUnsafe(16 * 1024)
  const readAll = (file: number): string => {
    let size = 0
    for (;;) {
      if (size === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      const count = readSync(file, buffer, size, buffer.length - size, null)
      if (count === 0) return buffer.toString('utf8', 0, size)
      size += count
    }
  }
  return {
    read: (path) => {
      let file: number | undefined
      try {
        file = openSync(path, 'r')
        return readAll(file)
      } catch {
        return undefined
      } finally {
        if (file !== undefined) closeSync(file)
      }
    },
  }
}

export type ProcStat = {
  readonly state: string
  readonly parent: number
  /** The start time of the process in clock ticks. Together with the pid it identifies one process permanently. */
  readonly start: number
  /** The processor time of the process and of the children that it has waited for, in clock ticks. */
  readonly cpuTicks: number
}

/** Parses `/proc/PID/stat`. The process name in it may contain any character. */
export function parseStat(text: string): ProcStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const cpuTicks = fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0)
  return { state: fields[0] ?? '', parent: Number(fields[1]), start: Number(fields[19]), cpuTicks }
}

/** A process that cannot be mistaken for a later one with the same pid. */
export type ProcessId = { readonly pid: number; readonly start: number }

/** Parses a copy of `/proc/PID/stat`. Returns undefined if the text is not complete. */
export function parseIdentity(text: string | undefined): ProcessId | undefined {
  const pid = Number.parseInt(text ?? '', 10)
  const { start } = parseStat(text ?? '')
  return text?.endsWith('\n') && pid > 0 && start > 0 ? { pid, start } : undefined
}

/** Whether this very process still runs. */
export function isAlive({ pid, start }: ProcessId): boolean {
  const found = parseStat(procReader().read(`/proc/${pid}/stat`) ?? '')
  return found.start === start && found.state !== 'Z' && found.state !== 'X'
}

/** The start time of this process, in clock ticks. */
export function ownStart(): number {
  return parseStat(procReader().read('/proc/self/stat') ?? '').start || 0
}

/** Whether the process has a handler for the signal. False if it has ended. */
export function catchesSignal(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(procReader().read(`/proc/${pid}/status`) ?? '')?.[1] ?? '0'
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}
