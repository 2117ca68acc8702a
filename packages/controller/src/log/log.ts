// A reader of the journal: it writes one JSON object a line, without control characters and without the same problem again and again.
import type { Instant } from '@dayfly/kit/clock'
import { printableJson } from '@dayfly/kit/printable'
import type { Entry } from '@dayfly/runner-set/model/event'
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

/**
 * Returns a reader of the journal. A repeated problem carries `repeated`: how often it came since its last line. A process that does not
 * lead sees the same lives as the leader, and is silent about them.
 */
export function createLog({ level, write }: LogOptions): (entry: Entry) => void {
  const shown = new Set(logLevels.slice(0, logLevels.indexOf(level) + 1))
  const repeats = new Repeats()
  let leading = false
  return ({ at, event }) => {
    if (event.kind === 'leadership-gained') leading = true
    if (event.kind === 'leadership-lost') leading = false
    if (!leading && 'namespace' in event && !seenByAll.has(event.kind)) return
    const line = logLineOf(event)
    if (!shown.has(line.level)) return
    const subject = subjectOf(event)
    const isProblem = line.level === 'warn' || line.level === 'error'
    const key = JSON.stringify([event.kind, ...Object.values(subject), line.reason, line.message])
    const times = isProblem ? repeats.note(key, at) : 0
    if (times === 'too-soon') return
    write(formatLine(at, { ...line, event: event.kind, ...subject, repeated: times > 0 ? times : undefined }))
  }
}

/** Events about sets that a process sees without leading. */
const seenByAll: ReadonlySet<string> = new Set(['set-added', 'set-removed'])

/** Remembers when each problem was last written. */
class Repeats {
  readonly #written = new Map<string, { readonly at: Instant; suppressed: number }>()

  /** Returns how often the problem was suppressed since its last line, or that it must be suppressed now. */
  note(key: string, at: Instant): number | 'too-soon' {
    const before = this.#written.get(key)
    if (before && at < before.at + repeatMs) {
      before.suppressed++
      return 'too-soon'
    }
    this.#written.delete(key)
    if (this.#written.size >= rememberedMax) this.#written.delete(this.#written.keys().next().value ?? '')
    this.#written.set(key, { at, suppressed: 0 })
    return before?.suppressed ?? 0
  }
}

/** The order of the fields that people read first. The others follow. */
const fieldOrder = ['time', 'level', 'message', 'namespace', 'set', 'runner', 'reason', 'next', 'event']

/** Returns one line of JSON. */
export function formatLine(at: Instant, fields: LogLine): string {
  const all: LogLine & { readonly time: string } = { time: new Date(at).toISOString(), ...fields }
  const line: Record<string, string | number> = {}
  for (const name of [...fieldOrder, ...Object.keys(all)]) {
    const value = all[name]
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
