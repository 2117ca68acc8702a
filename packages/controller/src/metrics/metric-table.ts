// The table of metrics: name, type, labels and meaning. docs/guide/metrics.md shows the same rows.

export type MetricType = 'counter' | 'gauge' | 'histogram'

export type MetricInfo<Label extends string = string> = {
  readonly name: string
  readonly type: MetricType
  readonly labels: readonly Label[]
  readonly help: string
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[]
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const ofSet = ['namespace', 'set'] as const

export const metricTable = {
  buildInfo: {
    name: 'dayfly_build_info',
    type: 'gauge',
    labels: ['version'],
    help: 'Always 1. The label is the version of the process.',
  },
  leader: {
    name: 'dayfly_leader',
    type: 'gauge',
    labels: [],
    help: '1 if this process leads, 0 if it waits to take over. Only the leader has series of sets.',
  },
  runners: {
    name: 'dayfly_runners',
    type: 'gauge',
    labels: [...ofSet, 'state'],
    help: 'Runners by state: starting, idle, busy, spent (had its job or is being ended), ended. Absent while unknown.',
  },
  demand: {
    name: 'dayfly_demand_jobs',
    type: 'gauge',
    labels: ofSet,
    help: 'Jobs for which the forge wants runners, waiting or running. Absent while unknown.',
  },
  runnersMin: {
    name: 'dayfly_runners_min',
    type: 'gauge',
    labels: [...ofSet, 'reason'],
    help: 'The idle runners that the set keeps now. The reason is spec (spec.scale.min) or schedule (a window of it).',
  },
  runnersUsual: {
    name: 'dayfly_runners_usual',
    type: 'gauge',
    labels: ofSet,
    help: 'The runners that this hour usually needs, busy ones included (spec.scale.usualDemand). Absent without it.',
  },
  runnersMax: {
    name: 'dayfly_runners_max',
    type: 'gauge',
    labels: ofSet,
    help: 'The maximum number of runners of the set (spec.scale.max).',
  },
  announced: {
    name: 'dayfly_runners_announced',
    type: 'gauge',
    labels: ofSet,
    help: 'Runners that the set announces to a forge that gives it jobs at once. Absent at another forge, and while nothing is announced.',
  },
  announcedLess: {
    name: 'dayfly_runners_announced_less',
    type: 'gauge',
    labels: [...ofSet, 'reason'],
    help: 'Always 1. Why the set announces fewer runners than its maximum: pool, quota, no-room, refused, failing, forge-limit or unchecked.',
  },
  condition: {
    name: 'dayfly_set_condition',
    type: 'gauge',
    labels: [...ofSet, 'type', 'status'],
    help: 'Always 1. The labels are a condition of the set and its current status: True, False or Unknown.',
  },
  runnerVersionEnds: {
    name: 'dayfly_runner_version_end_timestamp_seconds',
    type: 'gauge',
    labels: [...ofSet, 'version'],
    help: "When the forge ends the version of the set's runner, in seconds of Unix time. Absent while unknown, and while no end is planned.",
  },
  queueSeconds: {
    name: 'dayfly_job_queue_seconds',
    type: 'histogram',
    labels: ofSet,
    help: 'How long a job waited at the forge before a runner started it.',
    buckets: [1, 2, 5, 10, 15, 30, 45, 60, 120, 300, 600, 1_800, 3_600],
  },
  startedJobs: {
    name: 'dayfly_started_jobs_total',
    type: 'counter',
    labels: [...ofSet, 'repository', 'workflow', 'objective'],
    help: 'Jobs that runners started, by repository and workflow, and by spec.objective.queueTime: kept, missed, or none. The first 50 pairs of a set have series of their own, and the others are together under other.',
  },
  startedJobsQueueSeconds: {
    name: 'dayfly_started_jobs_queue_seconds_total',
    type: 'counter',
    labels: [...ofSet, 'repository', 'workflow'],
    help: 'How long these jobs had waited at the forge, in seconds, together. Divide it by the number of jobs.',
  },
  startSeconds: {
    name: 'dayfly_runner_start_seconds',
    type: 'histogram',
    labels: ofSet,
    help: 'Time from the creation of a pod until its runner container ran, by the clock of the cluster in whole seconds.',
    buckets: [1, 2, 5, 10, 15, 30, 45, 60, 120, 300, 600],
  },
  runnerFailures: {
    name: 'dayfly_runner_failures_total',
    type: 'counter',
    labels: [...ofSet, 'reason'],
    help: 'Runners that failed, or whose start was refused, by reason.',
  },
  runnerDelays: {
    name: 'dayfly_runner_delays_total',
    type: 'counter',
    labels: [...ofSet, 'reason'],
    help: 'Runners whose start or end is held up and may still succeed, by reason.',
  },
  setFailures: {
    name: 'dayfly_set_failures_total',
    type: 'counter',
    labels: [...ofSet, 'reason'],
    help: 'Failures of a set as a whole, by reason: its template, its connection to the forge, the end of a version, registrations that stay, cordons. Each attempt counts.',
  },
  jobsFinished: {
    name: 'dayfly_jobs_finished_total',
    type: 'counter',
    labels: [...ofSet, 'result'],
    help: 'Jobs that ended, by the result of the forge: succeeded, failed, canceled, skipped, abandoned, other.',
  },
  brokenJobs: {
    name: 'dayfly_broken_jobs_total',
    type: 'counter',
    labels: [...ofSet, 'result'],
    help: 'Jobs that the infrastructure broke and that are settled: repeated, or why not (cause, own-step, succeeded, over-before, cancelled, run-budget, day-budget, unknown, forgotten, and elsewhere for one that another client repeated). Only sets with rerun count them.',
  },
  jobsLate: {
    name: 'dayfly_late_jobs_total',
    type: 'counter',
    labels: ofSet,
    help: 'Jobs that started on a runner that had run one, because its cordon came too late.',
  },
  kubernetesRequests: {
    name: 'dayfly_kubernetes_requests_total',
    type: 'counter',
    labels: ['verb', 'resource', 'code'],
    help: 'Requests to the API server. The code is the HTTP status, or error if there was no answer.',
  },
  kubernetesSeconds: {
    name: 'dayfly_kubernetes_request_seconds',
    type: 'histogram',
    labels: ['verb'],
    help: 'Time until the answer of the API server, of a watch until its first byte.',
    buckets: requestBuckets,
  },
  forgeRequests: {
    name: 'dayfly_forge_requests_total',
    type: 'counter',
    labels: ['operation', 'code'],
    help: 'Requests to the forge. The code is the HTTP status, or error if there was no answer.',
  },
  forgeSeconds: {
    name: 'dayfly_forge_request_seconds',
    type: 'histogram',
    labels: ['operation'],
    help: 'Time until the answer of the forge. The operation poll waits for messages, up to a minute.',
    buckets: requestBuckets,
  },
  forgeBudget: {
    name: 'dayfly_forge_budget_remaining',
    type: 'gauge',
    labels: ['account'],
    help: "Requests that the forge's rate limit still allows, from its last answer to this account. Absent while unknown.",
  },
  tickSeconds: {
    name: 'dayfly_tick_seconds',
    type: 'histogram',
    labels: [],
    help: 'Time of one decision about one set.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1],
  },
} as const satisfies Readonly<Record<string, MetricInfo>>
