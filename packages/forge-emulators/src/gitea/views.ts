// The JSON of runners and jobs. The words for a status differ between the server and its API: `waiting` shows as `queued`, `blocked` as `waiting`.
import type { Instant } from '@dayfly/kit/clock'
import { dialects } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { fullName } from './places.ts'
import { type RunnerStatus, statusOf } from './runners.ts'
import type { Job, JobStatus, Place, Repository, Run, Runner, Task } from './state.ts'

export function runnerView(emulation: Emulation, runner: Runner): object {
  const status = statusOf(emulation, runner)
  return {
    id: runner.id,
    name: runner.name,
    status: status === 'offline' ? 'offline' : 'online',
    busy: status === 'active',
    ...(dialects[emulation.knobs.dialect].cordon ? { disabled: runner.disabled } : {}),
    ephemeral: runner.ephemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}

/** Forgejo's form of a runner. */
export function forgejoRunnerView(emulation: Emulation, runner: Runner): object {
  const status: RunnerStatus = statusOf(emulation, runner)
  const { id, uuid, name, version, labels, ephemeral, place } = runner
  return { id, uuid, name, version, ...ownership(place), description: '', status, labels, ephemeral }
}

function ownership(place: Place): object {
  return {
    owner_id: place.kind === 'organization' || place.kind === 'user' ? place.id : 0,
    repo_id: place.kind === 'repository' ? place.id : 0,
  }
}

/** Returns the status and the conclusion in the words of the API. */
export function wordsOf(status: JobStatus): { readonly status: string; readonly conclusion?: string } {
  if (status === 'waiting') return { status: 'queued' }
  if (status === 'blocked') return { status: 'waiting' }
  if (status === 'running' || status === 'cancelling') return { status: 'in_progress' }
  return { status: 'completed', conclusion: status }
}

/** The statuses that a word of the filter selects; undefined for an unknown word. No word selects `cancelling`. */
export function statusesOf(word: string): readonly JobStatus[] | undefined {
  return filters[word]
}

const blocked: readonly JobStatus[] = ['blocked']
const filters: Readonly<Record<string, readonly JobStatus[]>> = {
  ...{ pending: blocked, waiting: blocked, requested: blocked, action_required: blocked },
  queued: ['waiting'],
  in_progress: ['running'],
  completed: ['success', 'failure', 'skipped', 'cancelled'],
  failure: ['failure'],
  success: ['success'],
  ...{ skipped: ['skipped'], neutral: ['skipped'] },
  ...{ cancelled: ['cancelled'], timed_out: ['cancelled'] },
}

/** @param origin the address of the server. The links begin with it. */
export function jobView(origin: string, job: Job): object {
  const { run, plan, task } = job
  const { repository } = run
  const words = wordsOf(job.status)
  const api = `${origin}/api/v1/repos/${fullName(repository)}/actions`
  return {
    id: job.id,
    url: `${api}/jobs/${job.id}`,
    html_url: `${origin}/${fullName(repository)}/actions/runs/${run.id}/jobs/${job.id}`,
    run_id: run.id,
    run_url: `${api}/runs/${run.id}`,
    name: plan.name,
    labels: plan.labels,
    run_attempt: job.attempt,
    head_sha: run.commit,
    head_branch: run.branch,
    ...words,
    ...(task ? { runner_id: task.runner.id, runner_name: task.runner.name } : {}),
    steps: task ? stepViews(task, words) : [],
    created_at: timeOf(job.createdAt),
    started_at: timeOf(job.startedAt),
    completed_at: timeOf(job.stoppedAt),
  }
}

/** @param status the status of the whole run */
export function runView(
  origin: string,
  { id, index, repository, workflow, event, branch, commit }: Run,
  status: JobStatus,
): object {
  return {
    id,
    url: `${origin}/api/v1/repos/${fullName(repository)}/actions/runs/${id}`,
    html_url: `${origin}/${fullName(repository)}/actions/runs/${id}`,
    path: `${workflow}@refs/heads/${branch}`,
    event,
    run_number: index,
    head_sha: commit,
    head_branch: branch,
    ...wordsOf(status),
    repository: repositoryView(origin, repository),
  }
}

/** The steps have the status of their job, as in 1.26.0. */
function stepViews(task: Task, words: object): readonly object[] {
  return task.job.plan.steps.map((name, number) => ({
    name,
    number,
    ...words,
    started_at: timeOf(task.steps[number]?.startedAt ?? 0),
    completed_at: timeOf(task.steps[number]?.stoppedAt ?? 0),
  }))
}

/** Forgejo's form of a job. Its words for the status are the server's own. */
export function forgejoJobView({ id, attempt, run, plan, task, status }: Job): object {
  return {
    id,
    attempt,
    handle: `${id}-${attempt}`,
    repo_id: run.repository.id,
    owner_id: run.repository.owner.id,
    name: plan.name,
    needs: plan.needs.length > 0 ? plan.needs : null,
    runs_on: plan.labels,
    task_id: task?.id ?? 0,
    status,
  }
}

export function repositoryView(origin: string, repository: Repository): object {
  const { id, name, owner, isArchived, hasActions } = repository
  const full = fullName(repository)
  return {
    id,
    owner: userView(owner.id, owner.name),
    name,
    full_name: full,
    private: true,
    url: `${origin}/api/v1/repos/${full}`,
    html_url: `${origin}/${full}`,
    clone_url: `${origin}/${full}.git`,
    default_branch: 'main',
    archived: isArchived,
    has_actions: hasActions,
  }
}

export function userView(id: number, login: string): object {
  return { id, login, username: login }
}

/** A time that is not set is the beginning of 1970. */
function timeOf(at: Instant): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}
