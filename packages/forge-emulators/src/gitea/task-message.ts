// The task as its runner gets it: a workflow with one job, the context, secrets, and the results of needed jobs.
import { type Emulation, resultOf } from './emulation.ts'
import { fullName } from './places.ts'
import { hexToken } from './random-text.ts'
import { resultName } from './rpc-messages.ts'
import { statusOf } from './runs.ts'
import type { Job, Repository, Task } from './state.ts'

/** @param origin the address of the server, without a trailing slash */
export function taskMessage(emulation: Emulation, { id, job }: Task, origin: string): object {
  const token = hexToken(emulation.random)
  const needs = needsOf(emulation, job)
  return {
    id: String(id),
    workflowPayload: Buffer.from(job.plan.payload()).toString('base64'),
    context: { ...contextOf(job, origin), token, gitea_runtime_token: runtimeToken(emulation, id) },
    secrets: { GITEA_TOKEN: token, GITHUB_TOKEN: token },
    ...(Object.keys(needs).length > 0 ? { needs } : {}),
  }
}

/** The token for artifacts and cache, which no server here accepts. */
function runtimeToken({ random }: Emulation, task: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ TaskID: task })}.${hexToken(random)}`
}

/** Returns the `github` context. Its keys without a value are filled by the runner. */
function contextOf({ run, plan, attempt }: Job, origin: string): Readonly<Record<string, unknown>> {
  const { repository, branch, commit, folder } = run
  const ref = `refs/heads/${branch}`
  const names = ['action', 'action_path', 'action_ref', 'action_repository', 'action_status', 'base_ref', 'env']
  const more = ['event_path', 'graphql_url', 'head_ref', 'path', 'retention_days', 'triggering_actor', 'workspace']
  return {
    ...Object.fromEntries([...names, ...more].map((name) => [name, ''])),
    actor: repository.owner.name,
    api_url: `${origin}/api/v1`,
    event: { ref, repository: eventRepository(repository, origin) },
    event_name: run.event,
    gitea_default_actions_url: 'https://github.com',
    job: plan.key,
    ref,
    ref_name: branch,
    ref_protected: false,
    ref_type: 'branch',
    repository: fullName(repository),
    repository_owner: repository.owner.name,
    // The emulator serves no git, so a repository of this machine is cloned from its folder.
    repositoryUrl: folder ?? `${origin}/${fullName(repository)}`,
    run_attempt: String(attempt),
    run_id: String(run.id),
    run_number: String(run.index),
    secret_source: 'Actions',
    server_url: `${origin}/`,
    sha: commit,
    workflow: run.workflow,
  }
}

function eventRepository(repository: Repository, origin: string): object {
  const full = fullName(repository)
  return { id: repository.id, full_name: full, html_url: `${origin}/${full}`, default_branch: 'main' }
}

function needsOf(emulation: Emulation, { run, plan }: Job): Readonly<Record<string, object>> {
  return Object.fromEntries(
    plan.needs.map((need) => {
      const jobs = run.jobs.filter((job) => job.plan.key === need)
      const outputs = Object.assign({}, ...jobs.map(({ task }) => Object.fromEntries(task?.outputs ?? [])))
      const status = statusOf(emulation, jobs)
      const result = resultOf({ status })
      const some = Object.keys(outputs).length > 0 ? { outputs } : {}
      return [need, { ...some, ...(result ? { result: resultName(result) } : {}) }]
    }),
  )
}
