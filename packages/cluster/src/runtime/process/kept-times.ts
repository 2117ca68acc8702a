// Keeps the times of a log in a file beside it, so that a later process knows when each part was written.
// Each line has a size of the log and when the log first had it.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Instant } from '@dayfly/kit/clock'
import { type LogTimes, logTimes } from './log-times.ts'

/** A longer file is replaced by the marks that are still in memory. */
const linesMax = 16_384

/** Returns the times that the file has, and keeps every further one in it. Without a file, the times end with this process. */
export function keptTimes(file: string | undefined, start: Instant): LogTimes {
  const times = logTimes(start)
  if (file === undefined) return times
  const lines = readLines(file)
  for (const { size, at } of lines) times.record(size, at)
  let count = lines.length
  const keep = (size: number, at: Instant): void => {
    if (count++ < linesMax) {
      appendFileSync(file, `${size} ${at}\n`, { mode: 0o600 })
      return
    }
    const kept = times.recorded()
    writeFileSync(`${file}.new`, kept.map((one) => `${one.size} ${one.at}\n`).join(''), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    count = kept.length
  }
  const record: LogTimes['record'] = (size, at) => {
    if (!times.record(size, at)) return false
    try {
      keep(size, at)
    } catch {
      // The disk is full. Then a later process knows less about these times.
    }
    return true
  }
  return { ...times, record }
}

function readLines(file: string): readonly { readonly size: number; readonly at: Instant }[] {
  const text = read(file)
  const end = text.lastIndexOf('\n')
  // A process that was killed may have left its last line incomplete.
  const lines = text
    .slice(0, end + 1)
    .split('\n')
    .slice(0, -1)
  return lines.flatMap((line) => {
    const [size = Number.NaN, at = Number.NaN] = line.split(' ').map(Number)
    return Number.isInteger(size) && Number.isInteger(at) ? [{ size, at }] : []
  })
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
