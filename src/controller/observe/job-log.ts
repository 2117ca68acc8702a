// Reads jobs from the log of a runner container, where the forge itself reports them only in its next list.
import type { Instant } from '../../lib/clock.ts'
import type { ForgeEvent } from '../../model/forge-event.ts'
import type { JobLog } from '../../model/forge-traits.ts'

const results: Readonly<Record<string, string>> = { PASSED: 'succeeded', FAILED: 'failed', STOPPED: 'canceled' }

/** Returns a reader of the lines of one runner, in order. It returns the event that a line shows, if any. */
export function jobLogReader({ started, ended }: JobLog, runner: string): LineReader {
  let jobId: string | undefined
  return (line, at) => {
    const id = started.exec(line)?.[1]
    if (id !== undefined) {
      jobId = `{${id}}`
      return { kind: 'job-started', runner, job: { id: jobId, name: 'step', repository: '' }, at, queuedAt: undefined }
    }
    const word = jobId === undefined ? undefined : ended.exec(line)?.[1]
    if (word === undefined || jobId === undefined) return undefined
    const event = { kind: 'job-finished', runner, jobId, result: results[word] ?? 'unknown', at } as const
    jobId = undefined
    return event
  }
}

type LineReader = (line: string, at: Instant) => ForgeEvent | undefined
