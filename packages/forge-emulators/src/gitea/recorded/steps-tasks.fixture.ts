// The steps about one run: its jobs wait, two runners take them one after the other, and report.
import type { Step } from './step.fixture.ts'

const app = '/repos/acme/app/actions'

const workflow = `name: two jobs
on: [push, workflow_dispatch]
env:
  OUTER: \${{ github.ref_name }}
jobs:
  first:
    runs-on: a
    outputs:
      answer: \${{ steps.one.outputs.answer }}
    steps:
      - id: one
        run: echo one
      - name: two
        run: echo two
  second:
    needs: first
    if: needs.first.outputs.answer == '42'
    runs-on: [b]
    strategy:
      matrix:
        size: [1, 2]
    steps:
      - run: echo \${{ matrix.size }}
`
const time = '2020-01-02T03:04:05Z'
const row = (content: string) => ({ time, content })
const stepState = (id: number, result: string, logIndex: number, logLength: number) => ({
  ...{ id: String(id), result, startedAt: time, stoppedAt: time },
  ...{ logIndex: String(logIndex), logLength: String(logLength) },
})

export const taskSteps: readonly Step[] = [
  { do: 'commit', title: 'a push starts the run', repository: 'acme/app', file: 'two.yml', workflow },
  {
    do: 'rest',
    title: 'three jobs',
    call: `GET ${app}/jobs`,
    until: '"total_count":3',
    keep: { first: 'jobs.0.id', run: 'jobs.0.run_id', second: 'jobs.1.id', third: 'jobs.2.id' },
  },
  { do: 'rest', title: 'a job that waits', call: `GET ${app}/jobs/$first` },
  { do: 'rest', title: 'the log of a job that waits', call: `GET ${app}/jobs/$first/logs` },
  { do: 'rest', title: 'a job that does not exist', call: `GET ${app}/jobs/99` },
  { do: 'rest', title: 'the log of a job that does not exist', call: `GET ${app}/jobs/99/logs` },
  { do: 'rest', title: 'a job of another repository', call: 'GET /repos/acme/site/actions/jobs/$first' },
  { do: 'rest', title: 'the jobs of the run', call: `GET ${app}/runs/$run/jobs` },
  { do: 'rest', title: 'the jobs of a run that does not exist', call: `GET ${app}/runs/99/jobs` },
  { do: 'rest', title: 'rerun: a run that goes on', call: `POST ${app}/runs/$run/rerun` },
  ...['queued', 'waiting', 'pending', 'in_progress', 'completed', 'success', 'blocked', ''].map(
    (status): Step => ({
      ...{ do: 'rest', title: `jobs with the status "${status}"`, call: `GET ${app}/jobs?status=${status}&limit=1` },
    }),
  ),
  { do: 'rest', title: 'jobs with two statuses', call: `GET ${app}/jobs?status=queued&status=waiting&limit=2` },
  { do: 'rest', title: 'the second page', call: `GET ${app}/jobs?page=2&limit=2` },
  { do: 'rest', title: 'a page after the end', call: `GET ${app}/jobs?page=9&limit=2` },
  { do: 'rest', title: 'the jobs of the organization', call: 'GET /orgs/acme/actions/jobs?status=queued' },
  { do: 'rest', title: 'the jobs of the site', as: 'admin', call: 'GET /admin/actions/jobs?status=queued' },
  { do: 'rest', title: 'the jobs of the user, who owns no repository', call: 'GET /user/actions/jobs' },

  { do: 'rpc', title: 'FetchTask: other labels', method: 'FetchTask', runner: 'other', message: { tasksVersion: '0' } },
  { do: 'rest', title: 'cordon before a task', call: `PATCH ${app}/runners/$one.id`, body: { disabled: true } },
  {
    do: 'rpc',
    title: 'FetchTask: a disabled runner',
    method: 'FetchTask',
    runner: 'one',
    message: { tasksVersion: '0' },
  },
  { do: 'rest', title: 'uncordon before a task', call: `PATCH ${app}/runners/$one.id`, body: { disabled: false } },
  {
    do: 'rpc',
    title: 'FetchTask: the task',
    method: 'FetchTask',
    runner: 'one',
    message: { tasksVersion: '0' },
    keep: { task: 'task.id' },
  },
  {
    do: 'rpc',
    title: 'FetchTask: a second time during the task',
    method: 'FetchTask',
    runner: 'one',
    message: { tasksVersion: '0' },
  },
  { do: 'rest', title: 'the job names its runner', call: `GET ${app}/jobs/$first` },
  { do: 'rest', title: 'jobs in progress', call: `GET ${app}/jobs?status=in_progress` },
  { do: 'rest', title: 'a runner with a fresh task is not busy', call: `GET ${app}/runners/$one.id` },
  { do: 'rest', title: 'the log of a job without a row', call: `GET ${app}/jobs/$first/logs` },

  {
    do: 'rpc',
    title: 'UpdateTask: of another runner',
    method: 'UpdateTask',
    runner: 'other',
    message: { state: { id: '$task' } },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: of another runner',
    method: 'UpdateLog',
    runner: 'other',
    message: { taskId: '$task', index: '0', rows: [row('x')] },
  },
  {
    do: 'rpc',
    title: 'UpdateTask: a task that does not exist',
    method: 'UpdateTask',
    runner: 'one',
    message: { state: { id: '99' } },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: a task that does not exist',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '99', index: '0', rows: [row('x')] },
  },
  {
    do: 'rpc',
    title: 'UpdateTask: under way',
    method: 'UpdateTask',
    runner: 'one',
    message: {
      state: { id: '$task', startedAt: time, steps: [{ id: '0', startedAt: time, logIndex: '1', logLength: '0' }] },
    },
  },
  { do: 'rest', title: 'a runner that has reported is busy', call: `GET ${app}/runners/$one.id` },
  {
    do: 'rpc',
    title: 'UpdateLog: no row',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '0', rows: [] },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: two rows',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '0', rows: [row('zero'), row('one')] },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: the same rows again',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '0', rows: [row('zero'), row('one')] },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: rows with a gap',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '5', rows: [row('five')] },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: an overlap, with the index as a number',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: 1, rows: [row('one'), row('two')] },
  },
  { do: 'rest', title: 'the log of a job under way', call: `GET ${app}/jobs/$first/logs` },
  {
    do: 'rpc',
    title: 'UpdateLog: the last row',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '3', rows: [row('three')], noMore: true },
  },
  {
    do: 'rpc',
    title: 'UpdateLog: a row after the last one',
    method: 'UpdateLog',
    runner: 'one',
    message: { taskId: '$task', index: '4', rows: [row('four')] },
  },
  {
    ...{ do: 'rpc', title: 'UpdateTask: the result, with an output', method: 'UpdateTask', runner: 'one' },
    message: {
      state: {
        ...{ id: '$task', result: 'RESULT_SUCCESS', startedAt: time, stoppedAt: time },
        steps: [stepState(0, 'RESULT_SUCCESS', 1, 1), stepState(1, 'RESULT_SKIPPED', 2, 0)],
      },
      outputs: { answer: '42' },
    },
  },
  { do: 'rest', title: 'the runner is gone', call: `GET ${app}/runners/$one.id` },
  { do: 'rpc', title: 'FetchTask: after the task', method: 'FetchTask', runner: 'one', message: { tasksVersion: '0' } },
  {
    do: 'rpc',
    title: 'UpdateTask: after the task',
    method: 'UpdateTask',
    runner: 'one',
    message: { state: { id: '$task', result: 'RESULT_SUCCESS' } },
  },
  { do: 'rest', title: 'the ended job', call: `GET ${app}/jobs/$first` },
  { do: 'rest', title: 'the log of the ended job', call: `GET ${app}/jobs/$first/logs` },

  {
    do: 'rest',
    title: 'the job that needed it is ready',
    call: `GET ${app}/jobs?status=queued`,
    until: '"total_count":2',
  },
  {
    do: 'rpc',
    title: 'register: a persistent runner',
    method: 'Register',
    message: { name: 'lasting', token: '$new token', labels: ['b'] },
    keep: { 'lasting.id': 'runner.id', 'lasting.uuid': 'runner.uuid', 'lasting.token': 'runner.token' },
  },
  {
    do: 'rpc',
    title: 'FetchTask: the task with needs',
    method: 'FetchTask',
    runner: 'lasting',
    message: { tasksVersion: '0' },
    keep: { 'second task': 'task.id' },
  },
  { do: 'act', title: 'the run is cancelled', act: { is: 'cancel-run', repository: 'acme/app', run: '$run' } },
  {
    do: 'rpc',
    title: 'UpdateTask: a persistent runner learns that its task is over',
    method: 'UpdateTask',
    runner: 'lasting',
    message: { state: { id: '$second task' } },
  },
  { do: 'rest', title: 'the jobs of the cancelled run', call: `GET ${app}/runs/$run/jobs` },
  { do: 'rest', title: 'cancelled jobs by the word timed_out', call: `GET ${app}/jobs?status=timed_out&limit=1` },
  { do: 'rest', title: 'a persistent runner stays', call: `GET ${app}/runners/$lasting.id` },
]
