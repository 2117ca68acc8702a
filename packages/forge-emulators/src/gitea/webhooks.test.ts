// The webhooks of the emulated Gitea: events, levels, signatures, and deliveries that fail.
import { createHmac } from 'node:crypto'
import type { Request, Transport } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { type TestServer, testServer } from './test-client.fixture.ts'

type Payload = { readonly action: string; readonly workflow_job: Readonly<Record<string, unknown>> }

function hooked(deliver?: Transport) {
  const requests: Request[] = []
  const answer = { status: 200, headers: {}, body: { kind: 'none' } } as const
  const server = testServer({
    deliver: (request) => {
      requests.push(request)
      return deliver ? deliver(request) : Promise.resolve(answer)
    },
  })
  const payloads = () => requests.map(({ body }) => (body.kind === 'json' ? body.value : undefined) as Payload)
  const words = () => payloads().map(({ action, workflow_job: job }) => `${action} ${job['runner_name'] ?? ''}`)
  return { ...server, requests, payloads, words }
}

const config = { url: 'http://hooks.test/in?set=1', content_type: 'json', secret: 's' }

function addHook({ rest }: TestServer, place: string, more: object = {}) {
  return rest('POST', `${place}/hooks`, { type: 'gitea', config, events: ['workflow_job'], active: true, ...more })
}

const queue = ({ emulator }: TestServer, repository = 'acme/app') =>
  emulator.control.queueJobs([{ repository, labels: ['linux'] }])[0] ?? ''

test('each change of a job is delivered once, with the job as the API shows it', async () => {
  const server = hooked()
  expect((await addHook(server, '/repos/acme/app')).status).toBe(201)
  const id = queue(server)
  await server.register('/repos/acme/app', 'r-1')
  server.emulator.control.stub.online('r-1')
  server.emulator.control.stub.finish('r-1', 'success')
  expect(server.words()).toEqual(['queued ', 'in_progress r-1', 'completed r-1'])
  const [first, , last] = server.payloads()
  expect(first).toMatchObject({ organization: { login: 'acme' }, repository: { full_name: 'acme/app' }, sender: {} })
  const shown = await server.rest('GET', `/repos/acme/app/actions/jobs/${id}`)
  expect(shown.body).toEqual({ kind: 'json', value: last?.workflow_job })
})

test('a delivery is signed with the secret of the hook, and names its event', async () => {
  const server = hooked()
  await addHook(server, '/orgs/acme')
  queue(server)
  const [request] = server.requests
  expect(request).toMatchObject({ method: 'POST', origin: 'http://hooks.test', path: '/in', query: { set: '1' } })
  const raw = Buffer.from(JSON.stringify(server.payloads()[0]))
  expect(request?.body).toMatchObject({ kind: 'json', raw })
  const signature = createHmac('sha256', 's').update(raw).digest('hex')
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-gitea-event': 'workflow_job',
    'x-github-event': 'workflow_job',
    'x-gitea-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-gitea-signature': signature,
    'x-hub-signature-256': `sha256=${signature}`,
    'x-gitea-hook-installation-target-type': 'organization',
  })
})

test.each([
  ['/admin', ['acme/app', 'joe/own']],
  ['/orgs/acme', ['acme/app']],
  ['/repos/joe/own', ['joe/own']],
  ['/user', []],
])('a hook of %s gets the jobs of %o', async (place, expected) => {
  const server = hooked()
  await addHook(server, place)
  for (const repository of ['acme/app', 'joe/own']) queue(server, repository)
  expect(server.payloads().map((payload) => Object(payload)['repository'].full_name)).toEqual(expected)
})

test.each([
  ['is not active', { active: false }],
  ['has other events', { events: ['push'] }],
])('a hook that %s gets nothing', async (_, more) => {
  const server = hooked()
  expect((await addHook(server, '/admin', more)).status).toBe(201)
  queue(server)
  expect(server.requests).toEqual([])
})

test('a hook without a secret is not signed, and a wrong one is refused', async () => {
  const server = hooked()
  await addHook(server, '/admin', { config: { url: 'http://hooks.test', content_type: 'json' } })
  expect((await addHook(server, '/admin', { type: 'slack' })).status).toBe(422)
  queue(server)
  expect(server.requests[0]?.headers['x-gitea-signature']).toBe('')
})

test('a delivery that fails or takes five seconds is not repeated', async () => {
  let reason: unknown
  const server = hooked(
    (request) =>
      new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => {
          reason = request.signal?.reason
          reject(reason)
        })
      }),
  )
  await addHook(server, '/admin')
  const id = queue(server)
  await server.clock.advance(5_000)
  expect(reason).toMatchObject({ message: 'the receiver did not respond in time' })
  await server.clock.advance(60_000)
  expect([server.requests.length, server.emulator.control.job(id)?.status]).toEqual([1, 'waiting'])
})

test('a late report of a runner sends the end of its job again', async () => {
  const server = hooked()
  await addHook(server, '/admin')
  const id = queue(server)
  const runner = await server.register('/repos/acme/app', 'r-1', { ephemeral: false })
  await server.rpc('FetchTask', {}, runner)
  server.emulator.control.cancelJob(id)
  await server.rpc('UpdateTask', { state: { id: '1', result: 'RESULT_SUCCESS' } }, runner)
  expect(server.words()).toEqual(['queued ', 'in_progress r-1', 'completed r-1', 'completed r-1'])
  expect(server.payloads().at(-1)?.workflow_job['conclusion']).toBe('cancelled')
})
