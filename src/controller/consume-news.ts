// What the forge tells goes into the cache and the journal first; then it is acknowledged.
import type { Link, News } from '../forge/forge.ts'
import { unreachable } from '../lib/assert.ts'
import { backoffMs } from '../lib/backoff.ts'
import { messageOf } from './act/failures.ts'
import type { LinkDeps } from './open-link.ts'
import { runnerSets } from './resources.ts'

const retry = { baseMs: 500, capMs: 10_000 }

/** Runs until the link is closed or the signal is aborted. */
export async function consumeNews(deps: LinkDeps, link: Link, until: AbortSignal): Promise<void> {
  const { cache, journal } = deps
  journal.write({ kind: 'forge-connected', namespace: cache.set.namespace, set: cache.set.name })
  for await (const batch of link.news()) {
    if (until.aborted) return
    for (const news of batch.news) apply(deps, news)
    deps.wake()
    if (batch.news.some(({ kind }) => kind === 'state')) await storeState(deps, until)
    if (!until.aborted) batch.ack()
  }
}

/** The forge's ids stand in the set's status before the forge goes on: a new leader finds everything again. */
async function storeState(deps: LinkDeps, until: AbortSignal): Promise<void> {
  const { cache, clock, journal, kubernetes, random } = deps
  const { namespace, name } = cache.set
  for (let attempt = 1; !until.aborted; attempt++) {
    try {
      const body = { status: { forge: cache.forge.state } }
      const options = { subresource: 'status', signal: until } as const
      await kubernetes.patch(runnerSets, { namespace, name }, { type: 'merge', body }, options)
      return
    } catch (error) {
      if (until.aborted) return
      journal.write({ kind: 'write-failed', namespace, set: name, action: 'remember', message: messageOf(error) })
      await clock.sleep(backoffMs(retry, attempt, random), until).catch(() => {})
    }
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
