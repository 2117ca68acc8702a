// Webhooks: each change of a job's status is sent once to the hooks of its repository, its owner and the server. A failed delivery is not repeated.
import { createHmac } from 'node:crypto'
import type { Method } from '@dayfly/kit/http'
import { uuid } from '@dayfly/kit/ids'
import type { Emulation } from './emulation.ts'
import { placesAbove } from './places.ts'
import type { Hook, Job } from './state.ts'
import { jobView, repositoryView, userView, wordsOf } from './views.ts'

/** The server gives up a delivery after this time. */
const timeoutMs = 5_000

export function notifyHooks(emulation: Emulation, job: Job): void {
  const { state, origin } = emulation
  if (state.hooks.size === 0) return
  const { repository } = job.run
  const { owner } = repository
  const places = placesAbove(state, repository)
  const payload = {
    action: wordsOf(job.status).status,
    workflow_job: jobView(origin, job),
    ...(owner.kind === 'organization' ? { organization: { ...userView(owner.id, owner.name), name: owner.name } } : {}),
    repository: repositoryView(origin, repository),
    sender: userView(owner.id, owner.name),
  }
  for (const hook of state.hooks.values()) if (places.includes(hook.place)) void deliver(emulation, hook, payload)
}

async function deliver(emulation: Emulation, hook: Hook, payload: object): Promise<void> {
  const { clock, random, deliver: send } = emulation
  if (!send) return
  const raw = Buffer.from(JSON.stringify(payload))
  const late = new AbortController()
  const timer = clock.after(timeoutMs, () => late.abort(new Error('the receiver did not respond in time')))
  const { origin, pathname: path, searchParams } = hook.url
  const method: Method = 'POST'
  const query = Object.fromEntries(searchParams)
  const headers = headersOf(hook, uuid(random), raw)
  const body = { kind: 'json', value: payload, raw } as const
  try {
    await send({ method, origin, path, query, headers, body, expect: 'whole', signal: late.signal })
  } catch {
    // The server logs the failure and goes on.
  } finally {
    timer.cancel()
  }
}

function headersOf({ secret, place }: Hook, delivery: string, body: Buffer): Record<string, string> {
  const sign = (algorithm: 'sha1' | 'sha256') =>
    secret === '' ? '' : createHmac(algorithm, secret).update(body).digest('hex')
  const event = 'workflow_job'
  const names = ['x-gitea', 'x-gogs', 'x-github'].flatMap((prefix) => [
    [`${prefix}-delivery`, delivery],
    [`${prefix}-event`, event],
    [`${prefix}-event-type`, event],
  ])
  return {
    'content-type': 'application/json',
    ...Object.fromEntries(names),
    'x-gitea-signature': sign('sha256'),
    'x-gogs-signature': sign('sha256'),
    'x-hub-signature': `sha1=${sign('sha1')}`,
    'x-hub-signature-256': `sha256=${sign('sha256')}`,
    'x-gitea-hook-installation-target-type': place.kind === 'site' ? 'system' : place.kind,
  }
}
