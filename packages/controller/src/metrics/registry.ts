// Creates the metrics of the table in a registry of their own: two controllers in one process share nothing.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricInfo, metricTable } from './metric-table.ts'

export type Instruments = ReturnType<typeof createInstruments>

export function createInstruments() {
  const registry = new Registry()
  const registers = [registry]
  const settings = ({ name, help, labels }: MetricInfo) => ({ name, help, labelNames: [...labels], registers })
  const counter = (info: MetricInfo) => new Counter<string>(settings(info))
  const gauge = (info: MetricInfo) => new Gauge<string>(settings(info))
  const histogram = (info: MetricInfo) =>
    new Histogram<string>({ ...settings(info), buckets: [...(info.buckets ?? [])] })
  const table = metricTable
  return {
    registry,
    buildInfo: gauge(table.buildInfo),
    leader: gauge(table.leader),
    runners: gauge(table.runners),
    demand: gauge(table.demand),
    runnersMin: gauge(table.runnersMin),
    runnersUsual: gauge(table.runnersUsual),
    runnersMax: gauge(table.runnersMax),
    announced: gauge(table.announced),
    announcedLess: gauge(table.announcedLess),
    condition: gauge(table.condition),
    runnerVersionEnds: gauge(table.runnerVersionEnds),
    queueSeconds: histogram(table.queueSeconds),
    startSeconds: histogram(table.startSeconds),
    runnerFailures: counter(table.runnerFailures),
    runnerDelays: counter(table.runnerDelays),
    setFailures: counter(table.setFailures),
    startedJobs: counter(table.startedJobs),
    startedJobsQueueSeconds: counter(table.startedJobsQueueSeconds),
    jobsFinished: counter(table.jobsFinished),
    brokenJobs: counter(table.brokenJobs),
    jobsLate: counter(table.jobsLate),
    kubernetesRequests: counter(table.kubernetesRequests),
    kubernetesSeconds: histogram(table.kubernetesSeconds),
    forgeRequests: counter(table.forgeRequests),
    forgeSeconds: histogram(table.forgeSeconds),
    forgeBudget: gauge(table.forgeBudget),
    tickSeconds: histogram(table.tickSeconds),
  }
}
