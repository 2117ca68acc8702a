// The routes of jobs: the lists below each prefix, one job of a repository, its log, and reruns.
import { type Answer, jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { dialects } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { jobsWith } from './job-index.ts'
import { pageOf } from './paging.ts'
import { allJobs } from './places.ts'
import { type Access, placedRoutes, reachRepository, repositoryPath, restRoute } from './reach.ts'
import { giteaError, noRoute, notFound } from './refusal.ts'
import { rerunJobs } from './runs.ts'
import type { Job, JobStatus, Place, Repository, Run } from './state.ts'
import { forgejoJobView, jobView, statusesOf } from './views.ts'

export function jobRoutes(access: Access): readonly Route[] {
  const { emulation } = access
  const reader = { method: 'GET', right: 'reader' } as const
  return [
    ...placedRoutes(access, {
      ...{ ...reader, path: '/actions/jobs', exists: ({ jobs }) => jobs },
      run: (place, call) => listAnswer(emulation, call, filtered(call, place)),
    }),
    ...placedRoutes(access, {
      ...{ ...reader, path: '/actions/runners/jobs', exists: ({ family }) => family === 'forgejo' },
      run: (place, call) => forgejoList(place, call),
    }),
    ...repositoryRoutes(access),
  ]
}

function repositoryRoutes(access: Access): readonly Route[] {
  const { emulation } = access
  const [job, run] = [`${repositoryPath}/actions/jobs/:job`, `${repositoryPath}/actions/runs/:run`]
  const get = (pattern: string, show: (repository: Repository, call: Call) => Answer) =>
    restRoute(access, 'GET', pattern, (call) => {
      const repository = reachRepository(access, call, 'reader')
      if (!dialects[emulation.knobs.dialect].jobs) throw noRoute()
      return show(repository, call)
    })
  const rerun = (pattern: string, chosen: (run: Run, call: Call) => readonly Job[]) =>
    restRoute(access, 'POST', `${run}${pattern}`, (call) => {
      const repository = reachRepository(access, call, 'reader')
      if (!dialects[emulation.knobs.dialect].rerun) throw noRoute()
      const found = findRun(emulation, repository, call)
      if (!rerunJobs(emulation, found, chosen(found, call))) {
        throw giteaError(call, 400, 'this workflow run is not done')
      }
      return emptyAnswer(201)
    })
  return [
    get(job, (repository, call) => jsonAnswer(200, jobView(call.origin, findJob(emulation, repository, call)))),
    get(`${job}/logs`, (repository, call) => logAnswer(call, findJob(emulation, repository, call))),
    get(`${run}/jobs`, (repository, call) => {
      const { jobs } = findRun(emulation, repository, call)
      const statuses = statusFilter(call)
      const some = statuses ? jobs.filter(({ status }) => statuses.has(status)) : jobs
      return listAnswer(emulation, call, some)
    }),
    rerun('/rerun', ({ jobs }) => jobs),
    rerun('/rerun-failed-jobs', ({ jobs }) => jobs.filter(({ status }) => /failure|cancelled/.test(status))),
    rerun('/jobs/:job/rerun', ({ repository }, call) => [findJob(emulation, repository, call)]),
  ]
}

function listAnswer(emulation: Emulation, call: Call, jobs: readonly Job[]): Answer {
  const { entries, total, headers } = pageOf(emulation, call, jobs)
  return jsonAnswer(200, { jobs: entries.map((job) => jobView(call.origin, job)), total_count: total }, headers)
}

function filtered(call: Call, place: Place): readonly Job[] {
  const statuses = statusFilter(call)
  return statuses ? jobsWith(place.jobs, statuses) : allJobs(place)
}

/** Returns the union of all `status` parameters; undefined without one. */
function statusFilter({ request, ...call }: Call): ReadonlySet<JobStatus> | undefined {
  const { query, repeated } = request
  if (query['status'] === undefined) return undefined
  const words = repeated?.['status'] ?? [query['status']]
  const statuses = words.flatMap((word) => {
    const some = statusesOf(word)
    if (!some) throw giteaError({ request, ...call }, 400, `Invalid status ${word}`)
    return some
  })
  return new Set(statuses)
}

/** Forgejo lists only waiting and running jobs, without pages. No job is `null`. All labels of a job must be among the asked ones. */
function forgejoList(place: Place, call: Call): Answer {
  const { labels } = call.request.query
  const asked = labels === undefined ? undefined : new Set(labels.split(','))
  const open = jobsWith(place.jobs, new Set(['waiting', 'running']))
  const some = asked ? open.filter(({ plan }) => plan.labels.every((label) => asked.has(label))) : open
  return jsonAnswer(200, some.length > 0 ? some.map(forgejoJobView) : null)
}

function findJob({ state }: Emulation, repository: Repository, call: Call): Job {
  const job = state.jobs.get(Number(call.params['job']))
  if (job?.run.repository !== repository) throw notFound(call)
  return job
}

function findRun({ state }: Emulation, repository: Repository, call: Call): Run {
  const run = state.runs.get(Number(call.params['run']))
  if (run?.repository !== repository) throw notFound(call)
  return run
}

function logAnswer(call: Call, { task }: Job): Answer {
  if (!task) throw notFound(call)
  const text = task.log.lines.map((line) => `${line}\n`).join('')
  return textAnswer(200, text, { 'content-type': 'text/plain; charset=utf-8' })
}
