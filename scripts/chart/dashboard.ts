// The Grafana dashboard, in rows of panels. It uses the metrics of the controller and nothing else.

type Query = { readonly expr: string; readonly legend: string }
type Panel = {
  readonly title: string
  readonly description: string
  readonly kind: 'stat' | 'lines' | 'area'
  readonly unit: 'short' | 's' | 'reqps' | 'percentunit'
  readonly queries: readonly Query[]
}

const ofSet = 'namespace=~"$namespace",set=~"$set"'
const datasource = { type: 'prometheus', uid: '${datasource}' }

const rows: readonly { readonly title: string; readonly height: number; readonly panels: readonly Panel[] }[] = [
  {
    title: 'Now',
    height: 4,
    panels: [
      stat('Leaders', 'One controller of each installation leads.', 'sum(dayfly_leader)'),
      stat(
        'Sets not ready',
        'kubectl describe shows the reason of each.',
        `sum(dayfly_set_condition{${ofSet},type="Ready",status!="True"}) or vector(0)`,
      ),
      stat('Demand', 'The runners that the forge needs now.', `sum(dayfly_demand_jobs{${ofSet}})`),
      stat('Runners', 'All runners that have not ended.', `sum(dayfly_runners{${ofSet},state!="ended"})`),
      stat('Busy', 'The runners that execute a job.', `sum(dayfly_runners{${ofSet},state="busy"})`),
      stat(
        'Failures in the last hour',
        'Runners that failed, for every reason.',
        `sum(increase(dayfly_runner_failures_total{${ofSet}}[1h])) or vector(0)`,
      ),
    ],
  },
  {
    title: 'Jobs',
    height: 8,
    panels: [
      {
        title: 'Runners by state',
        description: 'The demand, the maximum and the announced number are lines above the runners.',
        kind: 'area',
        unit: 'short',
        queries: [
          { expr: `sum by (state) (dayfly_runners{${ofSet},state!="ended"})`, legend: '{{state}}' },
          { expr: `sum(dayfly_demand_jobs{${ofSet}})`, legend: 'demand' },
          { expr: `sum(dayfly_runners_min{${ofSet}})`, legend: 'minimum' },
          { expr: `sum(dayfly_runners_usual{${ofSet}})`, legend: 'usual' },
          { expr: `sum(dayfly_runners_max{${ofSet}})`, legend: 'maximum' },
          { expr: `sum(dayfly_runners_announced{${ofSet}})`, legend: 'announced' },
          {
            expr: `count by (reason) (dayfly_runners_announced_less{${ofSet}})`,
            legend: 'sets that announce less: {{reason}}',
          },
        ],
      },
      quantiles('Time of jobs in the queue', 'From queued to started.', 'dayfly_job_queue_seconds', ofSet),
      quantiles('Time to start a runner', 'From the decision to online.', 'dayfly_runner_start_seconds', ofSet),
      {
        title: 'Finished jobs by result',
        description: 'As the forge reports them, and those that started on a runner that had run one.',
        kind: 'area',
        unit: 'short',
        queries: [
          {
            expr: `sum by (result) (increase(dayfly_jobs_finished_total{${ofSet}}[$__rate_interval]))`,
            legend: '{{result}}',
          },
          { expr: `sum(increase(dayfly_late_jobs_total{${ofSet}}[$__rate_interval]))`, legend: 'late' },
          {
            expr: `sum by (result) (increase(dayfly_broken_jobs_total{${ofSet}}[$__rate_interval]))`,
            legend: 'broken, {{result}}',
          },
        ],
      },
      {
        title: 'Failures by reason',
        description: 'The troubleshooting guide has a section for each reason.',
        kind: 'area',
        unit: 'short',
        queries: [
          {
            expr: `sum by (reason) (increase(dayfly_runner_failures_total{${ofSet}}[$__rate_interval]))`,
            legend: '{{reason}}',
          },
        ],
      },
      {
        title: 'Failures of sets by reason',
        description: 'The template, the connection to the forge, or registrations that stay. Each attempt counts.',
        kind: 'area',
        unit: 'short',
        queries: [
          {
            expr: `sum by (reason) (increase(dayfly_set_failures_total{${ofSet}}[$__rate_interval]))`,
            legend: '{{reason}}',
          },
        ],
      },
    ],
  },
  {
    title: 'Forge and API server',
    height: 8,
    panels: [
      {
        title: 'Budget at the forge',
        description: 'Dayfly waits when the budget of an account is used up.',
        kind: 'lines',
        unit: 'short',
        queries: [{ expr: 'min by (account) (dayfly_forge_budget_remaining)', legend: '{{account}}' }],
      },
      {
        title: 'Time until the version of a runner ends',
        description: 'GitHub gives no jobs to a runner of an ended version. Update the image before.',
        kind: 'lines',
        unit: 's',
        queries: [
          {
            expr: `min by (namespace, set, version) (dayfly_runner_version_end_timestamp_seconds{${ofSet}} - time())`,
            legend: '{{namespace}}/{{set}} {{version}}',
          },
        ],
      },
      {
        title: 'Queue time by repository',
        description: 'The mean wait of the jobs that started, of the ten repositories that wait longest.',
        kind: 'lines',
        unit: 's',
        queries: [
          {
            expr: `topk(10, sum by (repository, workflow) (rate(dayfly_started_jobs_queue_seconds_total{${ofSet}}[$__rate_interval])) / sum by (repository, workflow) (rate(dayfly_started_jobs_total{${ofSet}}[$__rate_interval])))`,
            legend: '{{repository}} {{workflow}}',
          },
        ],
      },
      {
        title: 'Jobs that missed the objective',
        description: 'The part of the started jobs that waited longer than spec.objective.queueTime.',
        kind: 'lines',
        unit: 'percentunit',
        queries: [
          {
            expr: `sum by (namespace, set) (rate(dayfly_started_jobs_total{objective="missed", ${ofSet}}[$__rate_interval])) / sum by (namespace, set) (rate(dayfly_started_jobs_total{objective=~"kept|missed", ${ofSet}}[$__rate_interval]))`,
            legend: '{{namespace}}/{{set}}',
          },
        ],
      },
      requests('Requests to the forge', 'operation', 'dayfly_forge_requests_total'),
      latency('Response time of the forge', 'operation', 'dayfly_forge_request_seconds', 'operation!="poll"'),
      requests('Requests to the API server', 'verb', 'dayfly_kubernetes_requests_total'),
      latency('Response time of the API server', 'verb', 'dayfly_kubernetes_request_seconds', ''),
      quantiles('Time of a tick', 'One decision about one set.', 'dayfly_tick_seconds', ''),
    ],
  },
]

/** Returns the dashboard in Grafana's JSON model. */
export function dashboard() {
  let y = 0
  let id = 0
  const panels: object[] = []
  for (const { title, height, panels: members } of rows) {
    panels.push({ id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y: y++, w: 24, h: 1 }, panels: [] })
    const perLine = height < 8 ? members.length : 2
    const width = 24 / perLine
    for (const [index, panel] of members.entries()) {
      const gridPos = { x: (index % perLine) * width, y: y + Math.floor(index / perLine) * height, w: width, h: height }
      panels.push({ id: ++id, gridPos, ...panelModel(panel) })
    }
    y += Math.ceil(members.length / perLine) * height
  }
  return {
    uid: 'dayfly',
    title: 'Dayfly',
    tags: ['dayfly', 'ci'],
    editable: true,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [sourceVariable, labelVariable('namespace', ''), labelVariable('set', 'namespace=~"$namespace"')],
    },
    panels,
  }
}

const sourceVariable = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }

function labelVariable(label: string, matching: string) {
  const query = `label_values(dayfly_runners_max{${matching}}, ${label})`
  return {
    name: label,
    type: 'query',
    datasource,
    query: { query, refId: label },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  }
}

function panelModel({ title, description, kind, unit, queries }: Panel) {
  const area = { fillOpacity: 25, stacking: { mode: 'normal' } }
  const custom = { drawStyle: 'line', lineWidth: 1, showPoints: 'never', ...(kind === 'area' ? area : {}) }
  const aboveArea = ['demand', 'maximum'].map((name) => ({
    matcher: { id: 'byName', options: name },
    properties: [
      { id: 'custom.stacking', value: { mode: 'none' } },
      { id: 'custom.fillOpacity', value: 0 },
    ],
  }))
  return {
    type: kind === 'stat' ? 'stat' : 'timeseries',
    title,
    description,
    datasource,
    fieldConfig: {
      defaults: { unit, min: 0, ...(kind === 'stat' ? {} : { custom }) },
      overrides: kind === 'area' ? aboveArea : [],
    },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr,
      legendFormat: legend,
    })),
  }
}

function stat(title: string, description: string, expr: string): Panel {
  return { title, description, kind: 'stat', unit: 'short', queries: [{ expr, legend: title }] }
}

function quantiles(title: string, description: string, metric: string, matching: string): Panel {
  const expr = (quantile: number) =>
    `histogram_quantile(${quantile}, sum by (le) (rate(${metric}_bucket{${matching}}[$__rate_interval])))`
  const queries = [50, 95, 99].map((percent) => ({ expr: expr(percent / 100), legend: `${percent} %` }))
  return { title, description, kind: 'lines', unit: 's', queries }
}

function requests(title: string, label: string, metric: string): Panel {
  const expr = `sum by (${label}, code) (rate(${metric}[$__rate_interval]))`
  const queries = [{ expr, legend: `{{${label}}} {{code}}` }]
  return { title, description: 'Requests in a second.', kind: 'lines', unit: 'reqps', queries }
}

function latency(title: string, label: string, metric: string, matching: string): Panel {
  const expr = `histogram_quantile(0.95, sum by (${label}, le) (rate(${metric}_bucket{${matching}}[$__rate_interval])))`
  const queries = [{ expr, legend: `{{${label}}}` }]
  return { title, description: '95 of 100 requests are faster.', kind: 'lines', unit: 's', queries }
}
