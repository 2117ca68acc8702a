// Reads jobs from the log of a runner container, where the forge itself reports them only in its next list.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { JobLog } from '@dayfly/runner-set/model/forges/traits'

const results: Readonly<Record<string, string>> = { PASSED: 'succeeded', FAILED: 'failed', STOPPED: 'canceled' }

/** Returns a reader of the lines of one runner. It returns the event that a line shows, if any.
 *  Lines may come again, from any earlier one on: a job that is over is not reported again. */
export function jobLogReader({ started, ended }: JobLog, runner: string): LineReader {
  const over = new Set<string>()
  let jobId: string | undefined
  return (line, at) => {
    const id = started.exec(line)?.[1]
    if (id !== undefined) {
      jobId = `{${id}}`
      if (over.has(jobId)) return undefined
      return { kind: 'job-started', runner, job: { id: jobId, name: 'step', repository: '' }, at, queuedAt: undefined }
    }
    const word = jobId === undefined || over.has(jobId) ? undefined : ended.exec(line)?.[1]
    if (word === undefined || jobId === undefined) return undefined
    over.add(jobId)
    return { kind: 'job-finished', runner, jobId, result: results[word] ?? 'unknown', at }
  }
}

type LineReader = (line: string, at: Instant) => ForgeEvent | undefined
