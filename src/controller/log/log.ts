// A reader of the journal: it writes one JSON object a line, without control characters and without the same problem again and again.
import type { Instant } from '../../lib/clock.ts'
import { printableJson } from '../../lib/printable.ts'
import type { Entry } from '../../model/event.ts'
import { type LogLevel, type LogLine, logLevels, logLineOf } from './log-line.ts'

export type LogOptions = {
  readonly level: LogLevel
  /** Writes one line without its newline. Must not throw. */
  readonly write: (line: string) => void
}

/** The same problem of the same subject is written again after this time at the earliest, in milliseconds. */
const repeatMs = 5 * 60_000
/** How many different problems are remembered. */
const rememberedMax = 1_000
/** How many characters of a text are written. */
const charactersMax = 2_000

/** Returns a reader of the journal. A repeated problem carries `repeated`: how often it came since its last line. */
export function createLog({ level, write }: LogOptions): (entry: Entry) => void {
  const written = new Map<string, { readonly at: Instant; repeated: number }>()
  const shown = new Set(logLevels.slice(0, logLevels.indexOf(level) + 1))
  return ({ at, event }) => {
    const line = logLineOf(event)
    if (!shown.has(line.level)) return
    const subject = subjectOf(event)
    let repeated: number | undefined
    if (line.level === 'warn' || line.level === 'error') {
      const key = JSON.stringify([event.kind, ...Object.values(subject), line.reason, line.message])
      const before = written.get(key)
      if (before && at < before.at + repeatMs) {
        before.repeated++
        return
      }
      repeated = before && before.repeated > 0 ? before.repeated : undefined
      written.delete(key)
      if (written.size >= rememberedMax) written.delete(written.keys().next().value ?? '')
      written.set(key, { at, repeated: 0 })
    }
    write(formatLine(at, { ...line, event: event.kind, ...subject, repeated }))
  }
}

/** Returns one line of JSON. The fields that people read first come first. */
export function formatLine(at: Instant, { level, message, ...fields }: LogLine): string {
  const line: Record<string, string | number> = { time: new Date(at).toISOString(), level, message: cut(message) }
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line[name] = typeof value === 'string' ? cut(value) : value
  }
  return printableJson(line)
}

/** Returns the set and the runner of an event, as far as it has them. */
function subjectOf(event: Entry['event']): Readonly<Record<string, string>> {
  return {
    ...('namespace' in event ? { namespace: event.namespace } : {}),
    ...('set' in event ? { set: event.set } : {}),
    ...('runner' in event ? { runner: event.runner } : {}),
  }
}

function cut(text: string): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
