// The routes of a repository that concern runs, jobs, checks and commit statuses
// (https://docs.github.com/en/rest/actions/workflow-runs, https://docs.github.com/en/rest/checks/runs, https://docs.github.com/en/rest/commits/statuses).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import type { Call, Route } from '../server/router.ts'
import type { Permission } from './config.ts'
import type { Emulation } from './emulation.ts'
import { restError } from './refusal.ts'
import { authorize, type RestOptions, withinBudget } from './routes-rest.ts'
import { settle } from './settle.ts'
import type { CommitNote, Job } from './state.ts'
import { attemptOf, forceCancel, isRunning, jobView, latestJobs, repeatJobs, shaOf } from './workflow-runs.ts'

/** Returns the same routes under `/api/v3` (GHES) and at the root (`api.*` hosts). */
export function repositoryRoutes(emulation: Emulation, options: RestOptions): readonly Route[] {
  const route = (method: Route['method'], path: string, permission: Permission, run: (call: Call) => Answer) =>
    ['/api/v3', ''].map((base) => ({
      method,
      pattern: `${base}/repos/:owner/:repo${path}`,
      run: (call: Call) => {
        const account = authorize(emulation, call, options)
        requirePermission(emulation, account, permission)
        return withinBudget(emulation, account, () => run(call))
      },
    }))
  const run = '/actions/runs/:run'
  return [
    ...route('GET', run, 'actions:read', (call) => jsonAnswer(200, runView(emulation, call))),
    ...route('GET', `${run}/jobs`, 'actions:read', (call) => listJobs(emulation, call)),
    ...route('POST', `${run}/rerun-failed-jobs`, 'actions:write', (call) => repeatFailed(emulation, call)),
    ...route('POST', `${run}/force-cancel`, 'actions:write', (call) => cancelRun(emulation, call)),
    ...route('GET', '/actions/jobs/:job', 'actions:read', (call) => jsonAnswer(200, jobView(jobOf(emulation, call)))),
    ...route('POST', '/actions/jobs/:job/rerun', 'actions:write', (call) => repeatOne(emulation, call)),
    ...route('POST', '/check-runs', 'checks:write', (call) => createCheck(emulation, call)),
    ...route('GET', '/commits/:sha/check-runs', 'checks:read', (call) => listChecks(emulation, call)),
    ...route('POST', '/statuses/:sha', 'statuses:write', (call) => createStatus(emulation, call)),
  ]
}

function requirePermission({ knobs }: Emulation, account: string, permission: Permission): void {
  const isApp = account.startsWith('installation')
  const who = isApp ? 'integration' : 'personal access token'
  if (permission === 'checks:write' && !isApp) throw restError(403, 'You must authenticate via a GitHub App.')
  if (knobs.denied.includes(permission)) throw restError(403, `Resource not accessible by ${who}`)
}

function repositoryOf({ params }: Call): string {
  return `${params['owner']}/${params['repo']}`.toLowerCase()
}

function isIn(call: Call, { spec }: Job): boolean {
  return `${spec.owner ?? 'my-org'}/${spec.repository ?? 'my-repo'}`.toLowerCase() === repositoryOf(call)
}

/** Returns the jobs of the latest attempt of the run. */
function runOf(emulation: Emulation, call: Call): readonly Job[] {
  const jobs = latestJobs(emulation, Number(call.params['run'])).filter((job) => isIn(call, job))
  if (jobs.length === 0) throw restError(404, 'Not Found')
  return jobs
}

function jobOf({ state }: Emulation, call: Call): Job {
  const job = [...state.jobs.values()].find(({ number }) => number === Number(call.params['job']))
  if (!job || !isIn(call, job)) throw restError(404, 'Not Found')
  return job
}

function runView(emulation: Emulation, call: Call): object {
  const jobs = runOf(emulation, call)
  const conclusions = jobs.map(({ report }) => report?.conclusion)
  const worst = ['failure', 'cancelled'].find((one) => conclusions.some((conclusion) => conclusion === one))
  const runId = Number(call.params['run'])
  return {
    id: runId,
    run_attempt: attemptOf(jobs),
    head_sha: shaOf(runId),
    status: isRunning(jobs) ? 'in_progress' : 'completed',
    conclusion: isRunning(jobs) ? null : (worst ?? 'success'),
  }
}

function listJobs(emulation: Emulation, call: Call): Answer {
  const { filter = 'latest', per_page, page } = call.request.query
  const latest = runOf(emulation, call)
  const all = filter === 'all' ? [...(emulation.state.runs.get(Number(call.params['run'])) ?? [])] : latest
  const size = Math.min(100, Math.max(1, Number(per_page) || 30))
  const first = (Math.max(1, Number(page) || 1) - 1) * size
  return jsonAnswer(200, { total_count: all.length, jobs: all.slice(first, first + size).map(jobView) })
}

function repeatFailed(emulation: Emulation, call: Call): Answer {
  const jobs = runOf(emulation, call)
  if (isRunning(jobs)) throw restError(403, 'This workflow is already running')
  const failed = jobs.filter(({ report }) => report?.conclusion === 'failure' || report?.conclusion === 'cancelled')
  if (failed.length === 0) throw restError(403, 'This workflow run has no failed jobs')
  repeatJobs(emulation, failed)
  settle(emulation)
  return jsonAnswer(201, {})
}

function repeatOne(emulation: Emulation, call: Call): Answer {
  const job = jobOf(emulation, call)
  if (isRunning(latestJobs(emulation, job.runId))) {
    throw restError(403, 'The workflow run containing this job is already running')
  }
  repeatJobs(emulation, [job])
  settle(emulation)
  return jsonAnswer(201, {})
}

function cancelRun(emulation: Emulation, call: Call): Answer {
  const jobs = runOf(emulation, call)
  if (!isRunning(jobs)) throw restError(409, 'Cannot cancel a workflow run that is completed.')
  forceCancel(emulation, jobs)
  settle(emulation)
  return jsonAnswer(202, {})
}

const checkSchema = z.object({
  name: z.string().min(1),
  head_sha: z.string().length(40),
  external_id: z.string().optional(),
  status: z.literal('completed'),
  conclusion: z.string(),
  output: z.object({ title: z.string().max(255), summary: z.string().max(65_535) }),
})

function createCheck(emulation: Emulation, call: Call): Answer {
  const body = checkSchema.safeParse(call.body)
  if (!body.success) throw restError(422, 'Invalid request')
  const { name, head_sha: sha, external_id: externalId, conclusion, output } = body.data
  const text = `${output.title}\n${output.summary}`
  const note = { kind: 'check', sha, name, externalId, conclusion, text } as const
  return jsonAnswer(201, checkView(keep(emulation, call, note)))
}

function listChecks({ state }: Emulation, call: Call): Answer {
  const { check_name: name } = call.request.query
  const found = state.notes.filter(
    (note) =>
      note.kind === 'check' &&
      note.sha === call.params['sha'] &&
      note.repository === repositoryOf(call) &&
      (name === undefined || note.name === name),
  )
  return jsonAnswer(200, { total_count: found.length, check_runs: found.map(checkView) })
}

function checkView({ id, name, sha, externalId, conclusion }: CommitNote): object {
  return { id, name, head_sha: sha, external_id: externalId ?? '', status: 'completed', conclusion }
}

const statusSchema = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().default('default'),
  description: z.string().max(140).optional(),
})

function createStatus(emulation: Emulation, call: Call): Answer {
  const body = statusSchema.safeParse(call.body)
  if (!body.success) throw restError(422, 'Validation Failed')
  const { state, context: name, description: text = '' } = body.data
  const sha = call.params['sha'] ?? ''
  keep(emulation, call, { kind: 'status', sha, name, externalId: undefined, conclusion: state, text })
  return jsonAnswer(201, { state, context: name, description: text })
}

function keep({ state }: Emulation, call: Call, note: Omit<CommitNote, 'id' | 'repository'>): CommitNote {
  const kept = { ...note, id: state.notes.length + 1, repository: repositoryOf(call) }
  state.notes.push(kept)
  return kept
}
