// Every job ends. It runs once, and it fails only if something outside Dayfly ended its runner.
import { keyOf } from '../gitea/jobs.ts'
import { isOverBound } from './bound.ts'
import type { Checker } from './checker.ts'
import { createForgetting } from './forgetting.ts'

const podPath = /^\/api\/v1\/namespaces\/[^/]+\/pods\/([^/]+)$/
/** The pod of a runner is forgotten this long after its end: no forge keeps a job of a lost runner open for longer. */
const forgetMs = 30 * 60_000
/** The results of jobs that ran to their end, or that were cancelled, in the words of each forge. */
const good: readonly (string | undefined)[] = [
  ...['succeeded', 'canceled', 'SUCCESSFUL', 'STOPPED'],
  ...['success', 'cancelled'],
]

export const jobs: Checker = {
  name: 'jobs',
  watch: (world, broken) => {
    const { clock, registry, github, bitbucket, gitea, observers, harmed, prints } = world
    const deletedByUs = new Set<string>()
    /** The runners that the operator's bound has ended. */
    const outlived = new Set<string>()
    const pods = createForgetting(clock, forgetMs)
    observers.sent.add((_identity, server, { method, path }) => {
      const name = server === 'api' && method === 'DELETE' ? podPath.exec(path)?.[1] : undefined
      if (name === undefined) return
      deletedByUs.add(name)
      if (isOverBound(world, name)) outlived.add(name)
    })
    // Garbage collection, eviction and the operators of a cluster end pods, too.
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      const isLeaving = type === 'DELETED' || metadata.deletionTimestamp !== undefined
      if (isLeaving && !deletedByUs.has(metadata.name)) harmed.add(metadata.name)
      if (type !== 'DELETED') return
      pods.over(() => {
        deletedByUs.delete(metadata.name)
        harmed.delete(metadata.name)
        outlived.delete(metadata.name)
      })
    })
    const hear = (kind: string, id: string, runner: string | undefined, result: string | undefined) => {
      if (kind === 'started' && prints.jobs.seen(id)) broken(`the job ${id} runs a second time, on ${runner}`)
      const failed = kind === 'finished' && !good.includes(result)
      if (!failed || runner === undefined || harmed.has(runner)) return
      if (outlived.has(runner) || isOverBound(world, runner)) return
      broken(`the job ${id} of ${runner} ends as ${result}, and nothing outside Dayfly ended its runner`)
    }
    github.control.onJob(({ kind, id, runner, result }) => {
      const fails = (github.control.job(id)?.spec.exitCode ?? 0) !== 0
      hear(kind, id, runner, result === 'failed' && fails ? 'succeeded' : result)
    })
    bitbucket.control.onStep(({ kind, id, runner, result }) => hear(kind, id, runner, result))
    // A rerun job has the same id, and each attempt must run once.
    gitea.control.onJob(({ kind, id, attempt, runner, result }) =>
      hear(kind, `${keyOf(id)}, attempt ${attempt}`, runner, result),
    )
  },
  atRest: ({ openJobs }) => (openJobs.size === 0 ? [] : [`${openJobs.size} jobs have not ended`]),
}
