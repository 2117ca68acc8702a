// What the forge tells goes into the cache and the journal first; then it is acknowledged.
import type { Link, News } from '../forge/forge.ts'
import { unreachable } from '../lib/assert.ts'
import type { LinkDeps } from './open-link.ts'

/** Runs until the link is closed or the signal is aborted. */
export async function consumeNews(deps: LinkDeps, link: Link, until: AbortSignal): Promise<void> {
  const { cache, journal } = deps
  journal.write({ kind: 'forge-connected', namespace: cache.set.namespace, set: cache.set.name })
  for await (const batch of link.news()) {
    if (until.aborted) return
    for (const news of batch.news) apply(deps, news)
    batch.ack()
    deps.wake()
  }
}

function apply({ cache, clock, journal }: LinkDeps, news: News): void {
  const now = clock.now()
  const subject = { namespace: cache.set.namespace, set: cache.set.name }
  switch (news.kind) {
    case 'demand':
      if (cache.forge.trouble) journal.write({ kind: 'forge-connected', ...subject })
      cache.demandTold(news.demand, news.at, now)
      break
    case 'job-started': {
      const { job, runner, at, queuedAt } = news
      const queuedMs = queuedAt === undefined ? undefined : at - queuedAt
      cache.jobStarted(runner, { ...job, startedAt: at, finished: undefined }, now)
      journal.write({ kind: 'job-started', ...subject, runner, job: job.id, name: job.name, queuedMs })
      break
    }
    case 'job-finished':
      cache.jobFinished(news.runner, news.jobId, news.result, now)
      journal.write({ kind: 'job-finished', ...subject, runner: news.runner, job: news.jobId, result: news.result })
      break
    case 'state':
      cache.forge.state = news.state
      break
    case 'trouble':
      cache.forge.troubled(news.failure, news.since)
      journal.write({ kind: 'forge-troubled', ...subject, failure: news.failure })
      break
    default:
      unreachable(news)
  }
}
