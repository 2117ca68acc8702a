// The last lines of a log that a runner sends. A script that prints forever does not fill the memory.

export type KeptLog = { readonly lines: string[]; bytes: number }

/** The most lines of one report, and of a kept log. */
export const logLinesMax = 1_000
const logBytesMax = 64 * 1024

export function emptyLog(): KeptLog {
  return { lines: [], bytes: 0 }
}

export function keepLines(log: KeptLog, lines: readonly string[]): void {
  for (const line of lines) {
    log.lines.push(line)
    log.bytes += line.length
  }
  while (log.lines.length > logLinesMax || log.bytes > logBytesMax) log.bytes -= log.lines.shift()?.length ?? 0
}
