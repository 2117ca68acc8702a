// Each value that ARC's chart gha-runner-scale-set documents or reads, and what becomes of it. docs/guide/from-arc.md shows this table.

/** `decide`: the import cannot know what is right, so an operator does. */
export type Verdict = 'kept' | 'changed' | 'dropped' | 'decide'

export type ValueRow = {
  /** The row counts for everything below it that has no row of its own. */
  readonly path: string
  readonly is: Verdict
  /** Where it is in the RunnerSet, what changes and why, what replaces it, or what is to decide. */
  readonly sentence: string
}

const metrics = 'Dayfly has no listener. Its controller has the metrics of all sets (docs/guide/metrics.md)'
const ofListener = 'Dayfly has no listener: its one controller connects to GitHub for all sets.'
const ofChart = 'Dayfly has no such object, so there is nothing to label.'
const ofProxy =
  'spec.github.proxy, which the runners have, too. A second one for http becomes a variable of the runner.'
const ofPods = 'spec.template.metadata: ARC gives them to the pods'
const vault =
  'Dayfly reads credentials from Secrets only. Let a tool such as External Secrets copy the vault into the Secret.'
const modes = 'dind: spec.docker is sidecar. kubernetes, kubernetes-novolume: spec.jobs is pods'
/** The report says so in the modes for pods of jobs, too. */
export const ofAccount =
  'The chart dayfly-runner-set makes the account dayfly-job-pods and its Role. Add your rules and annotations to them.'
const inlineSecret =
  'A Secret of your own takes the place of the inline value. The report has the command that creates it.'

export const valueTable: readonly ValueRow[] = [
  row('githubConfigUrl', 'kept', 'spec.github.url'),
  row('githubConfigSecret', 'kept', 'spec.github.credentials.secret'),
  row('githubConfigSecret.github_token', 'changed', inlineSecret),
  row('githubConfigSecret.github_app_id', 'changed', inlineSecret),
  row('githubConfigSecret.github_app_installation_id', 'changed', inlineSecret),
  row('githubConfigSecret.github_app_private_key', 'changed', inlineSecret),
  row('scaleSetLabels', 'kept', 'spec.github.labels'),
  row(
    'proxy',
    'decide',
    "ARC's chart reads http, https and noProxy only. If your own chart reads more, do the same there.",
  ),
  row('proxy.http', 'kept', ofProxy),
  row('proxy.https', 'kept', ofProxy),
  row('proxy.noProxy', 'kept', ofProxy),
  row('maxRunners', 'kept', 'spec.scale.max. Without it, ARC has no limit, and Dayfly needs one.'),
  row('minRunners', 'kept', 'spec.scale.min: idle runners in addition to the jobs, as in ARC'),
  row('runnerGroup', 'kept', 'spec.github.runnerGroup'),
  row('runnerScaleSetName', 'kept', 'metadata.name: jobs choose the set by it'),
  row('githubServerTLS', 'kept', 'spec.github.ca. The runners trust it, too.'),
  row(
    'githubServerTLS.runnerMountPath',
    'kept',
    'spec.template.spec: the volume, the mount and the variables that the chart would add to the runner',
  ),
  row('keyVault', 'decide', vault),
  row('containerMode', 'changed', modes),
  row('containerMode.type', 'changed', modes),
  row('containerMode.kubernetesModeWorkVolumeClaim', 'kept', 'spec.jobPods.work: size, class and access mode'),
  row('containerMode.kubernetesModeServiceAccount', 'decide', ofAccount),
  row('containerMode.kubernetesModeAdditionalRoleRules', 'decide', ofAccount),
  row('template', 'kept', 'spec.template'),
  row('listenerTemplate', 'dropped', ofListener),
  row('listenerMetrics', 'dropped', `${metrics}.`),
  row('listenerMetrics.counters.gha_started_jobs_total', 'dropped', `${metrics}: dayfly_job_queue_seconds_count.`),
  row('listenerMetrics.counters.gha_completed_jobs_total', 'dropped', `${metrics}: dayfly_jobs_finished_total.`),
  row('listenerMetrics.gauges.gha_assigned_jobs', 'dropped', `${metrics}: dayfly_demand_jobs.`),
  row('listenerMetrics.gauges.gha_running_jobs', 'dropped', `${metrics}: dayfly_runners{state="busy"}.`),
  row('listenerMetrics.gauges.gha_registered_runners', 'dropped', `${metrics}: dayfly_runners.`),
  row('listenerMetrics.gauges.gha_busy_runners', 'dropped', `${metrics}: dayfly_runners{state="busy"}.`),
  row('listenerMetrics.gauges.gha_idle_runners', 'dropped', `${metrics}: dayfly_runners{state="idle"}.`),
  row('listenerMetrics.gauges.gha_max_runners', 'dropped', `${metrics}: dayfly_runners_max.`),
  row('listenerMetrics.gauges.gha_min_runners', 'dropped', `${metrics}. No metric repeats spec.scale.min.`),
  row('listenerMetrics.gauges.gha_desired_runners', 'dropped', `${metrics}: dayfly_demand_jobs plus spec.scale.min.`),
  row(
    'listenerMetrics.histograms.gha_job_startup_duration_seconds',
    'dropped',
    `${metrics}: dayfly_job_queue_seconds.`,
  ),
  row(
    'listenerMetrics.histograms.gha_job_execution_duration_seconds',
    'dropped',
    `${metrics}. It has no run time of jobs.`,
  ),
  row(
    'controllerServiceAccount',
    'dropped',
    "Dayfly's chart gives the controller its rights in each namespace that you name there.",
  ),
  row('namespaceOverride', 'kept', 'metadata.namespace'),
  row('nameOverride', 'dropped', "ARC's chart computes a name of it and uses that name nowhere."),
  row('labels', 'kept', 'metadata.labels, and spec.template.metadata.labels: ARC gives them to the pods, too'),
  row('annotations', 'kept', 'metadata.annotations'),
  row('resourceMeta', 'dropped', ofChart),
  row('resourceMeta.ephemeralRunnerSet', 'kept', ofPods),
  row('resourceMeta.ephemeralRunner', 'kept', ofPods),
  row(
    'resourceMeta.autoscalingRunnerSet.labels',
    'kept',
    'metadata.labels, and spec.template.metadata.labels: ARC gives them to the pods, too',
  ),
  row('resourceMeta.autoscalingRunnerSet.annotations', 'kept', 'metadata.annotations'),
]

function row(path: string, is: Verdict, sentence: string): ValueRow {
  return { path, is, sentence }
}

/** Returns the row of the longest path that is the value or is above it. */
export function rowOf(path: string): ValueRow | undefined {
  const above = valueTable.filter(
    (one) => path === one.path || /^[.[]/.test(path.startsWith(one.path) ? path.slice(one.path.length) : ''),
  )
  return above.reduce<ValueRow | undefined>(
    (best, one) => (one.path.length > (best?.path.length ?? -1) ? one : best),
    undefined,
  )
}
