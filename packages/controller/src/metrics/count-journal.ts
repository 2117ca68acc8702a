// A reader of the journal: it turns events into counters and histograms.
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import type { Counter } from 'prom-client'
import { otherSources, sourceOf, sourcesMax } from '../job-source.ts'
import type { Instruments } from './registry.ts'
import { SetSeries } from './set-series.ts'

/** The results that GitHub reports. Any other word is counted as `other`, so that a forge cannot add series. */
const results = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'abandoned'])

type OfSet = Extract<JournalEvent, { readonly namespace: string }>

/** Returns the reader. A process that does not lead sees the same lives as the leader, and counts none of them. */
export function countJournal(instruments: Instruments): (entry: Entry) => void {
  const series = new SetSeries()
  let leading = false
  return ({ event }) => {
    if (event.kind === 'leadership-gained') leading = true
    else if (event.kind === 'leadership-lost') leading = false
    else if (event.kind === 'set-added') series.add(event.namespace, event.set)
    else if (event.kind === 'set-removed') series.remove(event.namespace, event.set)
    else if (leading && 'namespace' in event) countOfSet(instruments, series, event)
  }
}

function countOfSet(instruments: Instruments, series: SetSeries, event: OfSet): void {
  const { namespace, set } = event
  const count = (counter: Counter, label?: 'reason' | 'result', value = '') => {
    const labels = series.labels(counter, { namespace, set, ...(label === undefined ? {} : { [label]: value }) })
    if (labels) counter.inc(labels)
  }
  switch (event.kind) {
    case 'runner-failed':
    case 'start-refused':
      count(instruments.runnerFailures, 'reason', event.failure.reason)
      break
    case 'runner-delayed':
      count(instruments.runnerDelays, 'reason', event.failure.reason)
      break
    case 'template-refused':
    case 'forge-failed':
    case 'registration-kept':
    case 'runner-version-ends':
    case 'size-failed':
    case 'cost-labels-failed':
    case 'cordon-failed':
    case 'job-pod-failed':
    case 'job-doubtful':
      count(instruments.setFailures, 'reason', event.failure.reason)
      break
    case 'job-finished':
      count(instruments.jobsFinished, 'result', results.has(event.result) ? event.result : 'other')
      break
    case 'job-repeated':
      count(instruments.brokenJobs, 'result', 'repeated')
      break
    case 'job-not-repeated':
      count(instruments.brokenJobs, 'result', event.why === 'repeated' ? 'elsewhere' : event.why)
      break
    case 'job-late':
      count(instruments.jobsLate)
      break
    case 'job-started':
      observe(instruments.queueSeconds, series, event, event.queuedMs)
      countSource(instruments, series, event)
      break
    case 'runner-started':
      observe(instruments.startSeconds, series, event, event.startMs)
      break
  }
}

function observe(
  histogram: Instruments['queueSeconds'],
  series: SetSeries,
  { namespace, set }: OfSet,
  ms: number | undefined,
): void {
  const labels = ms === undefined ? undefined : series.labels(histogram, { namespace, set })
  if (ms !== undefined && labels) histogram.observe(labels, Math.max(0, ms) / 1_000)
}

/** The first pairs of a set keep their series, so that no counter ever goes back. */
function countSource(
  instruments: Instruments,
  series: SetSeries,
  event: Extract<OfSet, { kind: 'job-started' }>,
): void {
  const { namespace, set, job, queuedMs, objective = 'none' } = event
  const { startedJobs, startedJobsQueueSeconds } = instruments
  const pair = sourceOf(job)
  const source = series.isKnown(startedJobsQueueSeconds, { namespace, set, ...pair }, sourcesMax) ? pair : otherSources
  const waited = series.labels(startedJobsQueueSeconds, { namespace, set, ...source })
  const started = series.labels(startedJobs, { namespace, set, ...source, objective })
  if (!waited || !started) return
  startedJobsQueueSeconds.inc(waited, Math.max(0, queuedMs ?? 0) / 1_000)
  startedJobs.inc(started)
}
