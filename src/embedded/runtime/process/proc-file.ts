// Reads the small files of /proc with one buffer: readFileSync takes a new one of 64 KiB for each, and a pass reads hundreds.
import { closeSync, openSync, readSync } from 'node:fs'

export interface ProcReader {
  /** The whole file, or undefined when the process is gone or is not ours to look at. */
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
  /** When the process began, in the kernel's own unit: with its number it names one process for ever. */
  readonly start: number
}

/** What `/proc/PID/stat` says; the name in it may hold anything. */
export function parseStat(text: string): ProcStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), start: Number(fields[19]) }
}

/** When this process began. */
export function ownStart(): number {
  return parseStat(procReader().read('/proc/self/stat') ?? '').start || 0
}
