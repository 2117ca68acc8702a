// Writes a job's masked lines to this program's own output at once, and to the forge in batches.
// Both are bounded, so that a script that prints forever fills neither memory nor disk.
import type { Clock, Timer } from '@dayfly/kit/clock'
import type { Mask } from './mask.ts'

export interface Log {
  /** Writes one line without its line break. If it returns a promise, the output is congested: wait before the next line. */
  write(line: string): Promise<void> | undefined
  /** Sends the current batch at once. */
  flush(): void
}

export type LogSink = {
  readonly clock: Clock
  readonly mask: Mask
  /** Prints to this program's own output. Returns a promise while it is congested. */
  print(text: string): Promise<void> | undefined
  /** Sends a batch to the forge. */
  send(lines: readonly string[]): void
  /** Whether the forge is behind. The batch then waits, and new lines replace its first ones. */
  behind(): boolean
}

const logLimits = {
  batchMs: 100,
  /** The maximum size of a batch; its first lines are dropped beyond it. The forge keeps only the last 64 KiB. */
  batchLines: 900,
  batchChars: 128 * 1024,
  /** The maximum number of characters printed for one job. */
  printedMax: 64 * 1024 * 1024,
} as const

export function createLog({ clock, mask, print, send, behind }: LogSink): Log {
  let batch: string[] = []
  let chars = 0
  let omitted = 0
  let printed = 0
  let timer: Timer | undefined
  const flush = () => {
    timer?.cancel()
    timer = undefined
    if (batch.length === 0) return
    send(omitted > 0 ? [`… (${omitted} lines left out)`, ...batch] : batch)
    batch = []
    chars = 0
    omitted = 0
  }
  const collect = (line: string) => {
    batch.push(line)
    chars += line.length
    while (batch.length > logLimits.batchLines || (chars > logLimits.batchChars && batch.length > 1)) {
      chars -= batch.shift()?.length ?? 0
      omitted++
    }
    timer ??= clock.after(logLimits.batchMs, tick)
  }
  const tick = () => {
    if (behind()) timer = clock.after(logLimits.batchMs, tick)
    else flush()
  }
  const write = (line: string) => {
    const masked = mask.apply(line)
    collect(masked)
    if (printed > logLimits.printedMax) return undefined
    printed += masked.length + 1
    return print(printed > logLimits.printedMax ? '… (the log is cut here)\n' : `${masked}\n`)
  }
  return { write, flush }
}
