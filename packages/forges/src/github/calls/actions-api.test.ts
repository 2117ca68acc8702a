// The form of calls on the wire, and their errors. Tests that depend on bytes use a real server.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jsonAnswer, TransportError } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import { createBench } from '../bench.fixture.ts'
import { parseConfigUrl } from '../config-url.ts'
import { AdminTokens } from '../credentials/tokens.ts'
import { listRunners, removeRunner } from '../scale-set/runners.ts'
import { findGroup } from '../scale-set/scale-set.ts'
import {
  agentPath,
  agentsPath,
  exception,
  jwt,
  registrationPath,
  setsPath,
  silence,
  tokenPath,
} from '../scripted-github.fixture.ts'
import { createSession } from '../session/session.ts'
import { actionsService } from './actions-api.ts'
import type { GitHubError } from './errors.ts'
import { type Net, oncePolicy } from './retry.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

function serviceOn(net: Net, url = 'http://github.test/acme') {
  const credential = { kind: 'token', token: 'ghp_secretsecret' } as const
  const tokens = new AdminTokens({ net, config: parseConfigUrl(url), credential, userAgent: 'dayfly/0.0.0' })
  return actionsService(net, tokens, () => 'dayfly/0.0.0')
}

function createService() {
  const bench = createBench()
  const net = { transport: bench.github.transport, clock: bench.clock, random: bench.options.random }
  return { ...bench, service: serviceOn(net), signal: bench.stop.signal }
}

/** Starts a real server that answers the requests for tokens, and all others as the test says. */
async function createByteServer(answer: RequestListener) {
  const clock = systemClock()
  const server = createServer((request, response) => {
    const base = `http://${request.headers.host}`
    if (tokenPath.test(request.url ?? '')) return response.writeHead(201).end('{"token":"AABB"}')
    if (!registrationPath.test(request.url ?? '')) return answer(request, response)
    return response.writeHead(200).end(JSON.stringify({ url: `${base}/tenant/123/`, token: jwt(clock, 3_600) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = httpClient()
  cleanups.push(client.close, async () => server.closeAllConnections() ?? server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`
  return serviceOn({ transport: client.transport, clock, random: seededRandom(3) }, url)
}

test('case 17: joins paths, merges queries and sends the version once', async () => {
  const { github, clock, pass, service } = createService()
  const url = 'http://github.test/tenant/123/?tenant=a%26b'
  github.once('POST', registrationPath, jsonAnswer(200, { url, token: jwt(clock, 3_600) }))
  github.always('GET', /\/x$/, jsonAnswer(200, {}))
  await pass(service.call({ method: 'GET', path: '/x?name=banana' }))
  await pass(service.call({ method: 'GET', path: '/x?api-version=7.0' }))
  const [first, second] = github.sent('GET', /\/x$/)
  expect(first?.path).toBe('/tenant/123/x')
  expect(first?.query).toEqual({ 'api-version': '6.0-preview', tenant: 'a&b', name: 'banana' })
  expect(first?.headers['content-type']).toBe('application/json')
  expect(second?.query['api-version']).toBe('7.0')
})

test('case 18: reads a response with a byte order mark', async () => {
  const service = await createByteServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('\uFEFF{"count":1,"value":[{"id":5,"name":"r"}]}')
  })
  expect(await listRunners(service, new AbortController().signal)).toMatchObject([{ id: '5', name: 'r' }])
})

test('an attempt without a response ends by its timeout, and the call with it', async () => {
  const { github, clock, pass, service, signal } = createService()
  github.always('GET', agentsPath, silence)
  const start = clock.now()
  await expect(pass(listRunners(service, signal))).rejects.toMatchObject({ kind: 'unavailable', reason: 'timed-out' })
  expect(clock.now() - start).toBe(30_000)
  expect(clock.next()).toBeUndefined()
})

test('rejects an untrusted certificate as bad configuration, after one attempt', async () => {
  const { github, pass, service, signal } = createService()
  github.always('GET', agentsPath, () => {
    throw new TransportError('certificate', 'self-signed certificate')
  })
  await expect(pass(listRunners(service, signal))).rejects.toMatchObject({ kind: 'bad-config' })
  expect(github.sent('GET', agentsPath)).toHaveLength(1)
})

test('case 23: every request names the client, and the scale set as soon as it exists', async () => {
  const { github, connect } = createBench()
  await connect()
  const agents = github.requests.map(({ headers }) => headers['user-agent'])
  const created = github.requests.findIndex(({ method, path }) => method === 'POST' && setsPath.test(path))
  expect(new Set(agents.slice(0, created + 1))).toEqual(new Set(['dayfly/0.0.0 ScaleSetID/NA']))
  expect(new Set(agents.slice(created + 1))).toEqual(new Set(['dayfly/0.0.0 ScaleSetID/117']))
  expect(agents.length).toBeGreaterThan(created + 2)
})

test('case 24: an error has the correlation ids of GitHub and no secret', async () => {
  const service = await createByteServer((request, response) => {
    const headers = { ActivityId: 'c9dfa6f5', 'X-GitHub-Request-Id': 'C0DE:1' }
    const message = `bad header ${request.headers.authorization} of ghp_secretsecret`
    response.writeHead(400, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify({ message }))
  })
  const error = (await listRunners(service, new AbortController().signal).catch(
    (thrown: unknown) => thrown,
  )) as GitHubError
  expect(error.details).toMatchObject({ activityId: 'c9dfa6f5', requestId: 'C0DE:1', status: 400 })
  expect(error.message).toContain('c9dfa6f5')
  expect(error.message).toContain('C0DE:1')
  expect(error.message).toContain('bad header')
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/eyJ|ghp_/)
})

test.each([400, 409, 422])('case 25: JobStillRunningException with status %i means busy', async (status) => {
  const { github, pass, service, signal } = createService()
  github.once('DELETE', agentPath, exception(status, 'TaskAgentJobStillRunningException'))
  expect(await pass(removeRunner(service, '7', signal))).toBe('busy')
})

test.each([
  ['plain text is kept', 400, 'text/plain', 'bad capacity\n', 'bad capacity'],
  ['a proxy page keeps its status', 502, 'text/html', '<html>Bad Gateway</html>', '502 <html>Bad Gateway'],
  ['an empty body is an unknown error', 400, 'application/json', '', 'unknown error'],
  ['JSON that is cut is kept as text', 400, 'application/json', '{"message":"half', '{"message":"half'],
])('case 27: %s', async (_, status, type, body, shown) => {
  const service = await createByteServer((__, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  )
  const call = service.call({ method: 'GET', path: '/agents', policy: oncePolicy })
  await expect(call).rejects.toMatchObject({ status, message: expect.stringContaining(shown) })
})

test('rejects a list that is cut off or shorter than its count', async () => {
  const bodies = ['{"count":2,"value":[{"id":1,"na', '{"count":2,"value":[{"id":1,"name":"a"}]}', '{"value":[7]}', '']
  for (const body of bodies) {
    const service = await createByteServer((_, response) => response.writeHead(200).end(body))
    await expect(listRunners(service, new AbortController().signal)).rejects.toMatchObject({ kind: 'bad-response' })
  }
})

test('case 28: the name of a group arrives unchanged at a real server', async () => {
  const names = ['big ones', 'a&b=c', 'c#', '100%', 'größe+', 'a/b?c']
  const received: (string | null)[] = []
  const service = await createByteServer((request, response) => {
    received.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('groupName'))
    response.writeHead(200).end('{"count":1,"value":[{"id":1}]}')
  })
  for (const name of names) await findGroup(service, name, { policy: oncePolicy })
  expect(received).toEqual(names)
})

test('the address of a queue is sent byte for byte, with repeated keys and at any length', async () => {
  const query = `tenant=a&tenant=b%20c&empty&plus=+&long=${'x'.repeat(5_000)}`
  const polls: (string | undefined)[] = []
  const service = await createByteServer((request, response) => {
    const base = `http://${request.headers.host}`
    if (request.method === 'GET' || request.method === 'DELETE') {
      polls.push(request.url)
      return response.writeHead(202).end()
    }
    const token = jwt(systemClock(), 3_600, 'queue')
    const session = { sessionId: 's', messageQueueUrl: `${base}/queue?${query}`, messageQueueAccessToken: token }
    return response.writeHead(200).end(JSON.stringify(session))
  })
  const session = await createSession(service, 117, 'test')
  const { signal } = new AbortController()
  await session.poll(undefined, 10, signal)
  await session.poll('41', 10, signal)
  await session.acknowledge('41')
  expect(polls).toEqual([`/queue?${query}`, `/queue?${query}&lastMessageId=41`, `/queue/41?${query}`])
})

test('repeats a request whose connection broke', async () => {
  let requests = 0
  const service = await createByteServer((_, response) => {
    if (++requests === 1) return response.socket?.resetAndDestroy()
    return response.writeHead(200).end('{"count":0,"value":[]}')
  })
  expect(await listRunners(service, new AbortController().signal)).toEqual([])
  expect(requests).toBe(2)
})
