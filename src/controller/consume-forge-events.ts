// What the forge tells goes into the cache and the journal first; then it is acknowledged.
import type { ForgeEvent, Link } from '../forge/forge.ts'
import { unreachable } from '../lib/assert.ts'
import { backoffMs } from '../lib/backoff.ts'
import { messageOf } from './act/failures.ts'
import type { LinkDeps } from './open-link.ts'
import { runnerSets } from './resources.ts'

const retry = { baseMs: 500, capMs: 10_000 }

/** Runs until the link is closed or the signal is aborted. */
export async function consumeForgeEvents(deps: LinkDeps, link: Link, until: AbortSignal): Promise<void> {
  const { cache, journal } = deps
  journal.write({ kind: 'forge-connected', namespace: cache.set.namespace, set: cache.set.name })
  for await (const batch of link.events()) {
    if (until.aborted) return
    for (const event of batch.events) apply(deps, event)
    deps.wake()
    if (batch.events.some(({ kind }) => kind === 'state')) await storeState(deps, until)
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

function apply({ cache, clock, journal }: LinkDeps, event: ForgeEvent): void {
  const now = clock.now()
  const subject = { namespace: cache.set.namespace, set: cache.set.name }
  switch (event.kind) {
    case 'demand':
      if (cache.forge.failure) journal.write({ kind: 'forge-connected', ...subject })
      cache.demandTold(event.demand, event.at, now)
      break
    case 'job-started': {
      const { job, runner, at, queuedAt } = event
      const queuedMs = queuedAt === undefined ? undefined : at - queuedAt
      cache.jobStarted(runner, { ...job, startedAt: at, finished: undefined }, now)
      journal.write({ kind: 'job-started', ...subject, runner, job: job.id, name: job.name, queuedMs })
      break
    }
    case 'job-finished':
      cache.jobFinished(event.runner, event.jobId, event.result, now)
      journal.write({ kind: 'job-finished', ...subject, runner: event.runner, job: event.jobId, result: event.result })
      break
    case 'state':
      cache.forge.state = event.state
      break
    case 'failing':
      cache.forge.failing(event.failure, event.since)
      journal.write({ kind: 'forge-failed', ...subject, failure: event.failure })
      break
    case 'settings':
      if (event.failure) journal.write({ kind: 'forge-failed', ...subject, failure: event.failure })
      break
    default:
      unreachable(event)
  }
}
