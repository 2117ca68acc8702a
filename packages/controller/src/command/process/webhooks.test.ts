// A webhook of Gitea brings the next poll forward, and a delivery without its signature does not.
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { createForges } from '@dayfly/forges/open/forges'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import type { Link } from '@dayfly/runner-set/forge/forge'
import { afterEach, expect, it } from 'vitest'
import { serveWebhooks } from './webhooks.ts'

const clock = systemClock()
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function stage() {
  const client = httpClient()
  const emulator = createGiteaEmulator({
    clock,
    random: seededRandom(1),
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: [{ token: 'secret', scopes: ['all'] }],
    knobs: { latencyMs: 50 },
    deliver: client.transport,
  })
  const forge = await emulator.listen(0)
  const ignore = () => {}
  const forges = createForges({
    ...{ clock, random: seededRandom(2), userAgent: 'dayfly/test', owner: 'test', environment: {} },
    ...{ onAnomaly: ignore, onExchange: ignore },
  })
  const hooks = await serveWebhooks({ address: { host: '127.0.0.1', port: 0 }, secret: 's3cret' }, () =>
    forges.hasten('gitea'),
  )
  closers.push(client.close, forge.close, forges.close, hooks.close)
  const url = `${forge.origin}/acme`
  const source = { kind: 'gitea', url, credentialsSecret: 'gitea', runnerGroup: undefined, labels: ['linux'] } as const
  const stop = new AbortController()
  closers.push(async () => stop.abort())
  const link = await forges
    .forgeFor({ ...source, proxy: undefined, ca: undefined }, { credential: { gitea_token: 'secret' } })
    .open(
      { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 5 },
      undefined,
      stop.signal,
    )
  const demand = demandOf(link)
  await demand(0)
  return { emulator, forge, hooks, demand }
}

/** Reads the events of the link, and returns how to wait for a demand. */
function demandOf(link: Link) {
  const events = link.events()[Symbol.asyncIterator]()
  return async (jobs: number) => {
    for (;;) {
      const { value: batch } = await events.next()
      batch?.ack()
      for (const event of batch?.events ?? []) {
        if (event.kind === 'demand' && event.demand.kind === 'queued' && event.demand.jobs === jobs) return
      }
    }
  }
}

it('takes a signed delivery as a hint, and refuses any other', async () => {
  const { emulator, forge, hooks, demand } = await stage()
  const headers = { authorization: 'token secret', 'content-type': 'application/json' }
  const config = { url: `${hooks.origin}/gitea`, content_type: 'json', secret: 's3cret' }
  const body = JSON.stringify({ type: 'gitea', active: true, events: ['workflow_job'], config })
  const made = await fetch(`${forge.origin}/api/v1/orgs/acme/hooks`, { method: 'POST', headers, body })
  expect(made.status).toBe(201)
  const post = (headers: Record<string, string>) => fetch(hooks.origin, { method: 'POST', body: '{}', headers })
  expect((await post({ 'content-type': 'application/json', 'x-gitea-event': 'workflow_job' })).status).toBe(401)
  expect((await fetch(hooks.origin)).status).toBe(405)
  const begun = clock.now()
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  await demand(1)
  // Without the hint, an account without work is asked every 20 s.
  expect(clock.now() - begun).toBeLessThan(10_000)
}, 15_000)
