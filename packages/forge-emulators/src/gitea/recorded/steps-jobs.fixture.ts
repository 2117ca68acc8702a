// The steps about reruns, cancellations, concurrency, and repositories that change.
import type { Step } from './step.fixture.ts'

const app = '/repos/acme/app/actions'
const site = '/repos/acme/site/actions'
const one = (label: string, more = '') =>
  `on: workflow_dispatch\n${more}jobs:\n  job:\n    runs-on: ${label}\n    steps:\n      - run: echo hi\n`
const ask = { tasksVersion: '0' }

export const jobSteps: readonly Step[] = [
  // A rerun queues the same job again.
  { do: 'rest', title: 'rerun: the failed jobs', call: `POST ${app}/runs/$run/rerun-failed-jobs` },
  { do: 'rest', title: 'the jobs after the rerun of the failed ones', call: `GET ${app}/runs/$run/jobs` },
  { do: 'act', title: 'the rerun is cancelled', act: { is: 'cancel-run', repository: 'acme/app', run: '$run' } },
  { do: 'rest', title: 'rerun: one job', call: `POST ${app}/runs/$run/jobs/$first/rerun` },
  { do: 'rest', title: 'the job after its rerun', call: `GET ${app}/jobs/$first` },
  {
    do: 'act',
    title: 'the rerun of one job is cancelled',
    act: { is: 'cancel-run', repository: 'acme/app', run: '$run' },
  },
  { do: 'rest', title: 'rerun: the run', call: `POST ${app}/runs/$run/rerun` },
  { do: 'rest', title: 'the jobs after the rerun', call: `GET ${app}/runs/$run/jobs` },
  { do: 'rest', title: 'rerun: a run that does not exist', call: `POST ${app}/runs/99/rerun` },
  { do: 'act', title: 'the whole rerun is cancelled', act: { is: 'cancel-run', repository: 'acme/app', run: '$run' } },
  { do: 'rest', title: 'cancel by REST', call: `POST ${app}/runs/$run/cancel` },

  // An ephemeral runner goes with its cancelled job.
  {
    do: 'commit',
    title: 'a workflow that waits for its dispatch',
    repository: 'acme/site',
    file: 'one.yml',
    workflow: one('c'),
  },
  {
    do: 'rest',
    title: 'dispatch: a workflow that does not exist',
    call: `POST ${site}/workflows/none.yml/dispatches`,
    body: { ref: 'main' },
  },
  { do: 'rest', title: 'dispatch', call: `POST ${site}/workflows/one.yml/dispatches`, body: { ref: 'main' } },
  {
    do: 'rest',
    title: 'one job',
    call: `GET ${site}/jobs`,
    until: '"total_count":1',
    keep: { job: 'jobs.0.id', 'site run': 'jobs.0.run_id' },
  },
  ...ephemeral('short', ['c']),
  {
    do: 'rpc',
    title: 'FetchTask: a job of the organization',
    method: 'FetchTask',
    runner: 'short',
    message: ask,
    keep: { 'short task': 'task.id' },
  },
  {
    do: 'act',
    title: 'the run of an ephemeral runner is cancelled',
    act: { is: 'cancel-run', repository: 'acme/site', run: '$site run' },
  },
  {
    do: 'rpc',
    title: 'UpdateTask: the job of an ephemeral runner is cancelled',
    method: 'UpdateTask',
    runner: 'short',
    message: { state: { id: '$short task' } },
  },
  { do: 'rest', title: 'the runner of a cancelled job is gone', call: 'GET /orgs/acme/actions/runners/$short.id' },
  { do: 'rest', title: 'a cancelled job', call: `GET ${site}/jobs/$job` },

  // A deleted runner leaves its job.
  {
    do: 'rest',
    title: 'dispatch: a job whose runner is deleted',
    call: `POST ${site}/workflows/one.yml/dispatches`,
    body: { ref: 'main' },
  },
  {
    do: 'rest',
    title: 'one more job',
    call: `GET ${site}/jobs?status=queued`,
    until: '"total_count":1',
    keep: { orphan: 'jobs.0.id', 'orphan run': 'jobs.0.run_id' },
  },
  ...ephemeral('lost', ['c']),
  {
    do: 'rpc',
    title: 'FetchTask: a job whose runner is deleted',
    method: 'FetchTask',
    runner: 'lost',
    message: ask,
    keep: { 'lost task': 'task.id' },
  },
  { do: 'rest', title: 'delete: a runner with a job', call: 'DELETE /orgs/acme/actions/runners/$lost.id' },
  {
    do: 'rpc',
    title: 'UpdateTask: the runner was deleted',
    method: 'UpdateTask',
    runner: 'lost',
    message: { state: { id: '$lost task' } },
  },
  { do: 'rest', title: 'the job of a deleted runner goes on', call: `GET ${site}/jobs/$orphan` },
  {
    do: 'act',
    title: 'the run without a runner is cancelled',
    act: { is: 'cancel-run', repository: 'acme/site', run: '$orphan run' },
  },

  // The third job of a group cancels the second, which waits.
  {
    do: 'commit',
    title: 'a workflow with a concurrency group',
    repository: 'acme/site',
    file: 'group.yml',
    workflow: one('d', 'concurrency: group-1\n'),
  },
  {
    do: 'rest',
    title: 'dispatch: the first of the group',
    call: `POST ${site}/workflows/group.yml/dispatches`,
    body: { ref: 'main' },
  },
  {
    do: 'rest',
    title: 'the first of the group is ready',
    call: `GET ${site}/jobs?status=queued`,
    until: '"total_count":1',
  },
  ...ephemeral('grouped', ['d']),
  {
    do: 'rpc',
    title: 'FetchTask: the first of the group',
    method: 'FetchTask',
    runner: 'grouped',
    message: ask,
    keep: { 'grouped task': 'task.id' },
  },
  {
    do: 'rest',
    title: 'dispatch: the second of the group',
    call: `POST ${site}/workflows/group.yml/dispatches`,
    body: { ref: 'main' },
  },
  {
    do: 'rest',
    title: 'the second of the group waits',
    call: `GET ${site}/jobs?status=waiting`,
    until: '"total_count":1',
  },
  {
    do: 'rest',
    title: 'dispatch: the third of the group',
    call: `POST ${site}/workflows/group.yml/dispatches`,
    body: { ref: 'main' },
  },
  {
    do: 'rest',
    title: 'the third of the group cancels the second',
    call: `GET ${site}/jobs?status=cancelled`,
    until: '"total_count":3',
  },
  {
    do: 'rpc',
    title: 'UpdateTask: the first of the group fails',
    method: 'UpdateTask',
    runner: 'grouped',
    message: { state: { id: '$grouped task', result: 'RESULT_FAILURE' } },
  },
  { do: 'rest', title: 'a job that ended without a time', call: `GET ${site}/jobs?status=failure` },
  {
    do: 'rest',
    title: 'the third of the group is ready',
    call: `GET ${site}/jobs?status=queued`,
    until: '"total_count":1',
    keep: { 'group run': 'jobs.0.run_id' },
  },
  {
    do: 'act',
    title: 'the third of the group is cancelled',
    act: { is: 'cancel-run', repository: 'acme/site', run: '$group run' },
  },

  // A job without labels is for every runner.
  { do: 'commit', title: 'a workflow without labels', repository: 'acme/site', file: 'any.yml', workflow: one('[]') },
  {
    do: 'rest',
    title: 'dispatch: a job without labels',
    call: `POST ${site}/workflows/any.yml/dispatches`,
    body: { ref: 'main' },
  },
  { do: 'rest', title: 'a job without labels', call: `GET ${site}/jobs?status=queued`, until: '"total_count":1' },
  {
    do: 'rpc',
    title: 'FetchTask: a job without labels',
    method: 'FetchTask',
    runner: 'of the organization',
    message: ask,
    keep: { 'any task': 'task.id' },
  },
  {
    do: 'rpc',
    title: 'UpdateTask: a job without labels is skipped',
    method: 'UpdateTask',
    runner: 'of the organization',
    message: { state: { id: '$any task', result: 'RESULT_SKIPPED' } },
  },
  { do: 'rest', title: 'skipped jobs by the word neutral', call: `GET ${site}/jobs?status=neutral` },

  { do: 'rest', title: 'cron: a task that exists', as: 'admin', call: 'POST /admin/cron/stop_zombie_tasks' },
  { do: 'rest', title: 'cron: a task that does not exist', as: 'admin', call: 'POST /admin/cron/none' },
  {
    do: 'rest',
    title: 'cron: a user who is no administrator',
    as: 'stranger',
    call: 'POST /admin/cron/stop_zombie_tasks',
  },

  // A repository that is archived, renamed and deleted.
  {
    do: 'commit',
    title: 'a workflow of an old repository',
    repository: 'acme/old',
    file: 'one.yml',
    workflow: one('e'),
  },
  {
    do: 'rest',
    title: 'dispatch: in an old repository',
    call: 'POST /repos/acme/old/actions/workflows/one.yml/dispatches',
    body: { ref: 'main' },
  },
  {
    do: 'rest',
    title: 'a job of an old repository',
    call: 'GET /repos/acme/old/actions/jobs',
    until: '"total_count":1',
  },
  {
    do: 'rest',
    title: 'a registration token of an old repository',
    call: 'POST /repos/acme/old/actions/runners/registration-token',
    keep: { 'old token': 'token' },
  },
  ...ephemeral('aged', ['e'], '$old token'),
  { do: 'act', title: 'the repository is renamed', act: { is: 'rename', repository: 'acme/old', to: 'older' } },
  ...(['GET', 'POST'] as const).map((method): Step => {
    const path = method === 'GET' ? 'jobs?limit=5&status=queued' : 'runners/registration-token'
    return { do: 'rest', title: `the old path: ${method}`, call: `${method} /repos/acme/old/actions/${path}` }
  }),
  {
    do: 'rest',
    title: 'the old path: PATCH',
    call: 'PATCH /repos/acme/old/actions/runners/$aged.id',
    body: { disabled: true },
  },
  { do: 'rest', title: 'the old path: DELETE', call: 'DELETE /repos/acme/old/actions/runners/$aged.id' },
  { do: 'rest', title: 'the new path', call: 'GET /repos/acme/older/actions/runners/$aged.id' },
  { do: 'act', title: 'the repository is archived', act: { is: 'archive', repository: 'acme/older' } },
  {
    do: 'rpc',
    title: 'FetchTask: a job of an archived repository',
    method: 'FetchTask',
    runner: 'aged',
    message: ask,
    keep: { 'aged task': 'task.id' },
  },
  { do: 'rest', title: 'the repository is deleted', call: 'DELETE /repos/acme/older' },
  { do: 'rest', title: 'the jobs of a deleted repository', call: 'GET /repos/acme/older/actions/jobs' },
  { do: 'rpc', title: 'FetchTask: the repository is deleted', method: 'FetchTask', runner: 'aged', message: ask },

  { do: 'act', title: 'actions are switched off', act: { is: 'disable-actions', repository: 'acme/site' } },
  { do: 'rest', title: 'the jobs of a repository without actions', call: `GET ${site}/jobs?limit=1` },
  { do: 'act', title: 'a token is revoked', act: { is: 'revoke', caller: 'member' } },
  { do: 'rest', title: 'a revoked token', as: 'member', call: `GET ${app}/jobs` },
]

/** An ephemeral runner of the organization, or of the level of a token. */
function ephemeral(name: string, labels: readonly string[], token = '$token of /orgs/acme'): readonly Step[] {
  const keep = { [`${name}.id`]: 'runner.id', [`${name}.uuid`]: 'runner.uuid', [`${name}.token`]: 'runner.token' }
  return [
    {
      do: 'rpc',
      title: `register: ${name}`,
      method: 'Register',
      message: { name, token, labels, ephemeral: true },
      keep,
    },
  ]
}
