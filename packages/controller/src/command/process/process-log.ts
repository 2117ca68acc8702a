// The log of the process on stdout: the lines of the journal, and those of a start that failed and of a crash.
import { CliFailure } from '@dayfly/command-line/failure'
import { printResult } from '@dayfly/command-line/output'
import type { Clock } from '@dayfly/kit/clock'
import { createJournal, type Journal } from '../../journal.ts'
import { createLog, formatLine } from '../../log/log.ts'
import type { LogLevel, LogLine } from '../../log/log-line.ts'

export interface ProcessLog {
  readonly journal: Journal
  /** Writes why the process cannot start. */
  failed(failure: CliFailure): void
  /** Writes an error that no code expected. */
  crashed(error: unknown): void
}

export function processLog(clock: Clock, level: LogLevel): ProcessLog {
  const journal = createJournal(clock)
  const print = (line: string) => printResult(`${line}\n`)
  const write = (line: LogLine) => print(formatLine(clock.now(), line))
  journal.subscribe(createLog({ level, write: print }))
  return {
    journal,
    failed: ({ details: { code, sentence, next, at } }) =>
      write({ level: 'error', message: sentence, event: 'start-failed', reason: code, next, at }),
    crashed: (error) => {
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      const next = 'Report the error with its stack. The process ends, and another one takes over.'
      write({ level: 'error', message, event: 'crashed', reason: 'unexpected', next, stack })
    },
  }
}

/** Writes the error that ends the command before it is printed to stderr. */
export function logFailure(log: ProcessLog, error: unknown): void {
  if (error instanceof CliFailure) log.failed(error)
  else log.crashed(error)
}
