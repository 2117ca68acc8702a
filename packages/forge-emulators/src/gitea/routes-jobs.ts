// The routes of jobs: the lists below each prefix, one job of a repository, its log, and reruns.
import { type Answer, textAnswer } from '@dayfly/kit/http'
import { type Call, emptyAnswer } from '../server/router.ts'
import { dialects } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { jobsWith } from './job-index.ts'
import { pageOf } from './paging.ts'
import { allJobs } from './places.ts'
import { type Access, type GiteaRoute, placedRoutes, reachRepository, repositoryPath, restRoute } from './reach.ts'
import { giteaError, notFound, restAnswer } from './refusal.ts'
import { rerunJobs, statusOf } from './runs.ts'
import type { Job, JobStatus, Place, Repository, Run } from './state.ts'
import { forgejoJobView, jobView, runView, statusesOf } from './views.ts'

export function jobRoutes(access: Access): readonly GiteaRoute[] {
  const { emulation } = access
  return [
    ...(['owner', 'reader'] as const).flatMap((right) =>
      placedRoutes(access, {
        ...{
          method: 'GET',
          path: '/actions/jobs',
          right,
          exists: ({ jobs, jobsRight }) => jobs && jobsRight === right,
        },
        run: (place, call) => listAnswer(emulation, call, sorted(emulation, call, filtered(call, place))),
      }),
    ),
    ...placedRoutes(access, {
      ...{
        method: 'GET',
        path: '/actions/runners/jobs',
        right: 'reader',
        exists: ({ family }) => family === 'forgejo',
      },
      run: (place, call) => forgejoList(place, call),
    }),
    ...oneRepositoryRoutes(access),
  ]
}

function oneRepositoryRoutes(access: Access): readonly GiteaRoute[] {
  const { emulation } = access
  const [job, run] = [`${repositoryPath}/actions/jobs/:job`, `${repositoryPath}/actions/runs/:run`]
  const get = (pattern: string, show: (repository: Repository, call: Call) => Answer): GiteaRoute => ({
    ...restRoute(access, 'GET', pattern, (call) => show(reachRepository(access, call, 'reader'), call)),
    exists: ({ jobs }) => jobs,
  })
  const rerun = (pattern: string, start: (run: Run, call: Call) => Answer): GiteaRoute => ({
    ...restRoute(access, 'POST', `${run}${pattern}`, (call) =>
      start(findRun(emulation, reachRepository(access, call, 'reader'), call), call),
    ),
    exists: (dialect) => dialect.rerun,
  })
  const queueAgain = (found: Run, jobs: readonly Job[], call: Call) => {
    if (!rerunJobs(emulation, found, jobs)) throw giteaError(call, 400, 'this workflow run is not done')
  }
  return [
    get(job, (repository, call) => {
      const found = findJob(emulation, repository, call, () => 'resource does not exist')
      return restAnswer(200, jobView(call.origin, found))
    }),
    get(`${job}/logs`, (repository, call) => {
      const missing = (id: number) => `run job with id ${id}: resource does not exist`
      return logAnswer(call, findJob(emulation, repository, call, missing))
    }),
    get(`${run}/jobs`, (repository, call) => {
      const found = emulation.state.runs.get(Number(call.params['run']))
      const jobs = found?.repository === repository ? found.jobs : []
      const statuses = statusFilter(call)
      return listAnswer(emulation, call, statuses ? jobs.filter(({ status }) => statuses.has(status)) : jobs)
    }),
    rerun('/rerun', (found, call) => {
      queueAgain(found, found.jobs, call)
      return restAnswer(201, runView(call.origin, found, statusOf(emulation, found.jobs)))
    }),
    rerun('/rerun-failed-jobs', (found, call) => {
      const failed = found.jobs.filter(({ status }) => status === 'failure' || status === 'cancelled')
      queueAgain(found, failed, call)
      return emptyAnswer(201)
    }),
    rerun('/jobs/:job/rerun', (found, call) => {
      const missing = (id: number) => `workflow job with id ${id}: resource does not exist`
      const one = findJob(emulation, found.repository, call, missing)
      queueAgain(found, [one], call)
      return restAnswer(201, jobView(call.origin, one))
    }),
  ]
}

function listAnswer(emulation: Emulation, call: Call, jobs: readonly Job[]): Answer {
  const { entries, total, headers } = pageOf(emulation, call, jobs)
  const list = { jobs: entries.map((job) => jobView(call.origin, job)), total_count: total }
  return restAnswer(200, list, dialects[emulation.knobs.dialect].pageHeaders ? headers : {})
}

/** Sorts by id, the only key. */
function sorted({ knobs }: Emulation, call: Call, jobs: readonly Job[]): readonly Job[] {
  const { sort = '', order = '' } = call.request.query
  if (!dialects[knobs.dialect].sorts || sort === '') return jobs
  if (!['', 'asc', 'desc'].includes(order)) throw giteaError(call, 422, `Invalid sort order: "${order}"`)
  if (sort !== 'id') throw giteaError(call, 422, `Invalid sort mode: "${sort}"`)
  return order === 'desc' ? jobs.toReversed() : jobs
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
  return restAnswer(200, some.length > 0 ? some.map(forgejoJobView) : null)
}

/** @param missing returns the server's reason */
function findJob({ state }: Emulation, repository: Repository, call: Call, missing: (id: number) => string): Job {
  const id = Number(call.params['job']) || 0
  const job = state.jobs.get(id)
  if (job?.run.repository !== repository) throw notFound(call, undefined, missing(id))
  return job
}

function findRun({ state }: Emulation, repository: Repository, call: Call): Run {
  const id = Number(call.params['run']) || 0
  const run = state.runs.get(id)
  if (run?.repository !== repository) throw notFound(call, undefined, `run with id ${id}: resource does not exist`)
  return run
}

function logAnswer(call: Call, { task }: Job): Answer {
  if (!task) throw notFound(call, undefined, 'job not started')
  if (task.rows === 0) throw giteaError(call, 500, 'OpenLogs: dbfs.Open: file does not exist')
  const text = task.log.lines.map((line) => `${line}\n`).join('')
  return textAnswer(200, text, { 'content-type': 'text/plain; charset=utf-8' })
}
