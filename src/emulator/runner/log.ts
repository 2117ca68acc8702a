// Where a job's lines go: masked, to this program's own output at once and to the forge in batches. Both are bounded: a script that prints for ever fills neither memory nor disk.
import type { Clock, Timer } from '../../lib/clock.ts'
import type { Mask } from './mask.ts'

export interface Log {
  /** One line without its end. A promise: the output is congested, wait before more. */
  write(line: string): Promise<void> | undefined
  /** What has not been sent yet, at once. */
  flush(): void
}

export type LogSink = {
  readonly clock: Clock
  readonly mask: Mask
  /** This program's own output; a promise while it is congested. */
  print(text: string): Promise<void> | undefined
  /** Gives a batch to the forge. */
  send(lines: readonly string[]): void
  /** Whether the forge is behind: then the batch waits, and its first lines give way to later ones. */
  behind(): boolean
}

const logLimits = {
  batchMs: 100,
  /** The forge keeps the last 64 KiB; of a batch beyond these, the first lines are left out. */
  batchLines: 900,
  batchChars: 128 * 1024,
  /** Characters printed for one job. */
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
