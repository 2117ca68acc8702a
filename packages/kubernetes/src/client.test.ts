import { type Answer, jsonAnswer, type Request, TransportError, textAnswer } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it } from 'vitest'
import { createKubernetes } from './client.ts'
import { KubernetesError } from './errors.ts'
import { statusAnswer } from './fault-server.fixture.ts'
import type { KubeObject, Resource } from './types.ts'

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const leases: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}
const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }
const at = { namespace: 'ci', name: 'a' }
const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { ...at, resourceVersion: '7' } }
const ok = jsonAnswer(200, pod)

type Reply = Answer | TransportError | ((request: Request) => Promise<Answer>)

/** Creates a client whose server plays the replies in turn and repeats the last one. `settle` runs a call to its end on virtual time. */
function world(...replies: readonly Reply[]) {
  const clock = virtualClock()
  const requests: (Request & { readonly at: number })[] = []
  const start = clock.now()
  const transport = async (request: Request): Promise<Answer> => {
    request.signal?.throwIfAborted()
    requests.push({ ...request, at: clock.now() - start })
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    if (reply instanceof TransportError) throw reply
    if (typeof reply === 'function') return reply(request)
    return reply ?? ok
  }
  const kubernetes = createKubernetes({ transport, clock, random: seededRandom(1), userAgent: 'dayfly/test' })
  const settle = async <T>(call: Promise<T>): Promise<T | KubernetesError> => {
    let open = true
    const end = call.then(
      (value) => value,
      (error: unknown) => error as KubernetesError,
    )
    void end.then(() => {
      open = false
    })
    for (let second = 0; open && second < 3600; second++) await clock.advance(1_000)
    return end
  }
  const refusal = async (call: Promise<unknown>): Promise<KubernetesError> => {
    const error = await settle(call)
    expect(error).toBeInstanceOf(KubernetesError)
    return error as KubernetesError
  }
  return { clock, kubernetes, requests, settle, refusal }
}

const hang = (request: Request) =>
  new Promise<Answer>((_, reject) => request.signal?.addEventListener('abort', () => reject(request.signal?.reason)))

describe('a request', () => {
  it('has the path, query, content type and body of its verb', async () => {
    const { kubernetes, requests, settle } = world(ok)
    const write = { dryRun: true, fieldManager: 'dayfly', fieldValidation: 'Strict' } as const
    await settle(kubernetes.get(pods, at))
    await settle(kubernetes.get(nodes, { name: 'n/1' }))
    await settle(kubernetes.create(leases, pod, write))
    await settle(kubernetes.replace(pods, pod))
    await settle(kubernetes.patch(pods, at, { type: 'merge', body: { a: 1 } }, { subresource: 'status', ...write }))
    await settle(kubernetes.patch(pods, at, { type: 'json', operations: [{ op: 'remove', path: '/a' }] }))
    await settle(
      kubernetes.delete(pods, at, {
        preconditions: { uid: 'u' },
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
        dryRun: true,
      }),
    )
    const shown = requests.map(({ method, path, query, headers, body }) => ({
      call: `${method} ${path}`,
      query,
      type: headers['content-type'],
      body: body.kind === 'json' ? body.value : undefined,
    }))
    const none = { type: undefined, body: undefined }
    expect(shown).toEqual([
      { call: 'GET /api/v1/namespaces/ci/pods/a', query: {}, ...none },
      { call: 'GET /api/v1/nodes/n%2F1', query: {}, ...none },
      {
        call: 'POST /apis/coordination.k8s.io/v1/namespaces/ci/leases',
        query: { dryRun: 'All', fieldManager: 'dayfly', fieldValidation: 'Strict' },
        type: 'application/json',
        body: pod,
      },
      { call: 'PUT /api/v1/namespaces/ci/pods/a', query: {}, type: 'application/json', body: pod },
      {
        call: 'PATCH /api/v1/namespaces/ci/pods/a/status',
        query: { dryRun: 'All', fieldManager: 'dayfly', fieldValidation: 'Strict' },
        type: 'application/merge-patch+json',
        body: { a: 1 },
      },
      {
        call: 'PATCH /api/v1/namespaces/ci/pods/a',
        query: {},
        type: 'application/json-patch+json',
        body: [{ op: 'remove', path: '/a' }],
      },
      {
        call: 'DELETE /api/v1/namespaces/ci/pods/a',
        query: {},
        type: 'application/json',
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'u' },
          gracePeriodSeconds: 0,
          propagationPolicy: 'Background',
          dryRun: ['All'],
        },
      },
    ])
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ accept: 'application/json', 'user-agent': 'dayfly/test' })
    }
  })

  it('waits for others of its class only: 32 writes run at once at first, and a lease does not wait for them', async () => {
    let running = 0
    let most = 0
    const { clock, kubernetes, requests } = world(async (request) => {
      if (request.path.includes('leases')) return ok
      most = Math.max(most, ++running)
      await clock.sleep(1_000)
      running--
      return ok
    })
    const writes = Promise.all(Array.from({ length: 200 }, () => kubernetes.create(pods, pod)))
    await clock.advance(1)
    await kubernetes.replace(leases, pod)
    expect(requests.length).toBe(33)
    await clock.advance(20_000)
    await writes
    // Each write took the same second, so the server kept up, and more ran at once.
    expect(most).toBeGreaterThan(48)
  })

  it('leaves room for others after a 429: fewer writes run at once, and a write that backs off takes no turn', async () => {
    const refused = statusAnswer(429, 'TooManyRequests', 'slow down', { headers: { 'retry-after': '5' } })
    let running = 0
    const most: number[] = []
    const { clock, kubernetes, requests } = world(async () => {
      running++
      await clock.sleep(100)
      running--
      return requests.length <= 64 ? refused : ok
    })
    const writes = Promise.all(Array.from({ length: 100 }, () => kubernetes.create(pods, pod)))
    for (let step = 0; step < 10; step++) {
      await clock.advance(50)
      most.push(running)
      await clock.advance(50)
    }
    expect(most.slice(0, 3)).toEqual([32, 16, 8])
    expect(requests.length).toBeGreaterThan(64)
    await clock.advance(60_000)
    await writes
  })

  it('is not sent, also not again, once its caller no longer allows it', async () => {
    const refused = statusAnswer(429, 'TooManyRequests', 'slow down')
    const { kubernetes, requests, refusal } = world(refused)
    let checks = 0
    const allowed = () => {
      if (++checks > 2) throw new KubernetesError('unavailable', 'no longer the leader')
    }
    const error = await refusal(kubernetes.create(pods, pod, { allowed }))
    expect([error.message, error.perhapsDone, requests.length]).toEqual(['no longer the leader', false, 2])
  })

  it('asks for metadata alone if its caller needs nothing else', async () => {
    const { kubernetes, requests, settle } = world(ok)
    await settle(kubernetes.create(pods, pod, { metadataOnly: true }))
    await settle(kubernetes.delete(pods, at, { metadataOnly: true }))
    await settle(kubernetes.get(pods, at, { metadataOnly: true }))
    await settle(kubernetes.create(pods, pod))
    const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;q=0.5'
    expect(requests.map(({ headers }) => headers['accept'])).toEqual([metadata, metadata, metadata, 'application/json'])
  })
})

describe('an answer', () => {
  it("includes the server's warnings", async () => {
    const warning = '299 - "unknown field \\"spec.x\\"", 299 kube "it\'s old, really"'
    const { kubernetes, settle } = world(jsonAnswer(201, pod, { warning }))
    expect(await settle(kubernetes.create(pods, pod))).toEqual({
      object: pod,
      warnings: ['unknown field "spec.x"', "it's old, really"],
    })
  })

  it('to DELETE distinguishes deleted, deleting and absent objects', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Success' }
    const metadata = { ...at, deletionTimestamp: '2026-01-01T00:00:00Z' }
    const rows: readonly (readonly [Answer, string])[] = [
      [jsonAnswer(200, status), 'deleted'],
      [jsonAnswer(200, pod), 'deleted'],
      [jsonAnswer(200, { ...pod, metadata: { ...metadata, deletionGracePeriodSeconds: 0 } }), 'deleted'],
      [jsonAnswer(200, { ...pod, metadata: { ...metadata, deletionGracePeriodSeconds: 30 } }), 'deleting'],
      [jsonAnswer(200, { ...pod, metadata: { ...metadata, finalizers: ['a/b'] } }), 'deleting'],
      [jsonAnswer(200, { ...pod, metadata, spec: { finalizers: ['kubernetes'] } }), 'deleting'],
      [statusAnswer(404, 'NotFound', 'pods "a" not found', { details: { name: 'a', kind: 'pods' } }), 'absent'],
    ]
    for (const [answer, expected] of rows) {
      const { kubernetes, settle } = world(answer)
      expect(await settle(kubernetes.delete(pods, at))).toBe(expected)
    }
    for (const answer of [textAnswer(404, '404 page not found\n'), statusAnswer(404, 'NotFound', 'no such kind')]) {
      const { kubernetes, refusal } = world(answer)
      expect((await refusal(kubernetes.delete(pods, at))).kind).toBe('not-found')
    }
  })

  it('becomes a typed error if its status is 400 or above', async () => {
    const rows: readonly (readonly [Answer, Partial<KubernetesError>])[] = [
      [statusAnswer(400, 'BadRequest', 'no'), { kind: 'bad-request', status: 400, message: 'no' }],
      [statusAnswer(401, 'Unauthorized', 'Unauthorized'), { kind: 'unauthorized' }],
      [statusAnswer(403, 'Forbidden', 'pods is forbidden: User "x" cannot'), { kind: 'forbidden' }],
      [
        statusAnswer(403, 'Forbidden', 'pods "a" is forbidden: exceeded quota: q, requested: pods=1'),
        { kind: 'quota' },
      ],
      [statusAnswer(404, 'NotFound', 'gone', { details: { name: 'a' } }), { kind: 'not-found', about: 'a' }],
      [statusAnswer(405, 'MethodNotAllowed', 'no'), { kind: 'bad-request', status: 405 }],
      [statusAnswer(409, 'AlreadyExists', 'exists'), { kind: 'already-exists' }],
      [statusAnswer(409, 'Conflict', 'modified'), { kind: 'conflict' }],
      [statusAnswer(410, 'Gone', 'old'), { kind: 'expired' }],
      [statusAnswer(500, 'InternalError', 'oops'), { kind: 'unavailable', perhapsDone: true }],
      [textAnswer(502, '<html>bad gateway</html>'), { kind: 'unavailable', message: 'the API server answered 502' }],
      [{ status: 503, headers: {}, body: { kind: 'none' } }, { message: 'the API server answered 503' }],
      [textAnswer(200, 'hello'), { kind: 'unavailable', perhapsDone: true }],
      [jsonAnswer(200, { metadata: {} }), { kind: 'unavailable', perhapsDone: true }],
    ]
    for (const [answer, expected] of rows) {
      const { kubernetes, refusal, requests } = world(answer)
      expect(await refusal(kubernetes.create(pods, pod))).toMatchObject(expected)
      expect(requests).toHaveLength(1)
    }
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' }, { message: 'odd' }, 'odd']
    const { kubernetes, refusal } = world(statusAnswer(422, 'Invalid', 'invalid', { details: { name: 'a', causes } }))
    expect(await refusal(kubernetes.create(pods, pod))).toMatchObject({
      kind: 'invalid',
      causes: [causes[0], { reason: '', field: '', message: 'odd' }, { reason: '', field: '', message: '' }],
    })
  })
})

describe('a retry', () => {
  const busy = (headers = {}, details?: object) =>
    statusAnswer(429, 'TooManyRequests', 'slow down', { headers, ...(details ? { details } : {}) })

  it('follows a 429 for every verb, after the time that the server asks for', async () => {
    const calls: readonly ((of: ReturnType<typeof world>) => Promise<unknown>)[] = [
      (of) => of.kubernetes.get(pods, at),
      (of) => of.kubernetes.create(pods, pod),
      (of) => of.kubernetes.replace(pods, pod),
      (of) => of.kubernetes.patch(pods, at, { type: 'merge', body: {} }),
      (of) => of.kubernetes.delete(pods, at),
    ]
    for (const call of calls) {
      const of = world(busy(), busy({ 'retry-after': '5' }), busy({}, { retryAfterSeconds: 3 }), ok)
      expect(await of.settle(call(of))).not.toBeInstanceOf(KubernetesError)
      const [first = 0, second = 0, third = 0, fourth = 0] = of.requests.map(({ at }) => at)
      expect(first).toBe(0)
      expect(second).toBeGreaterThanOrEqual(125)
      expect(third - second).toBeGreaterThanOrEqual(5_000)
      expect(fourth - third).toBeGreaterThanOrEqual(3_000)
      expect(fourth).toBeLessThan(12_000)
    }
  })

  it('does not follow the tenth 429, nor a 429 that asks for more time than a call may wait', async () => {
    const forever = world(busy())
    expect((await forever.refusal(forever.kubernetes.create(pods, pod))).kind).toBe('rate-limited')
    expect(forever.requests).toHaveLength(10)
    const long = world(busy({ 'retry-after': '120' }))
    const error = await long.refusal(long.kubernetes.create(pods, pod))
    expect(error).toMatchObject({ kind: 'rate-limited', perhapsDone: false })
    expect(error.retryAt).toBe(1_767_225_600_000 + 120_000)
    expect(long.requests).toHaveLength(1)
    const dated = world(busy({ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }), ok)
    await dated.settle(dated.kubernetes.create(pods, pod))
    expect(dated.requests[1]?.at).toBeGreaterThanOrEqual(10_000)
  })

  it.each([
    ['zero', { 'retry-after': '0' }],
    ['a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }],
    [
      'the date of a server that is ten minutes ahead',
      { 'retry-after': 'Thu, 01 Jan 2026 00:10:00 GMT', date: 'Thu, 01 Jan 2026 00:10:00 GMT' },
    ],
  ])('follows after the usual back-off if Retry-After is %s', async (_, headers) => {
    const of = world(busy(headers), busy(headers), busy(headers), ok)
    expect(await of.settle(of.kubernetes.create(pods, pod))).not.toBeInstanceOf(KubernetesError)
    const times = of.requests.map(({ at }) => at)
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    for (const [index, least] of [125, 250, 500].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least)
      expect(waits[index]).toBeLessThanOrEqual(2 * least)
    }
  })

  it.each([
    ['a date in the year 9999', busy({ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })],
    ['more seconds than a number can hold', busy({ 'retry-after': '9'.repeat(400) })],
    ['a huge number in the Status', busy({}, { retryAfterSeconds: 1e300 })],
  ])('is possible after an hour at the latest, even if the server asks for %s', async (_, answer) => {
    const of = world(answer)
    const error = await of.refusal(of.kubernetes.create(pods, pod))
    expect(error.retryAt).toBe(1_767_225_600_000 + 3_600_000)
    expect(of.requests).toHaveLength(1)
  })

  it.each([
    ['ahead', 'Thu, 01 Jan 2026 00:10:00 GMT', 'Thu, 01 Jan 2026 00:10:07 GMT'],
    ['behind', 'Wed, 31 Dec 2025 23:50:00 GMT', 'Wed, 31 Dec 2025 23:50:07 GMT'],
  ])('follows after 7 s if a server that is ten minutes %s asks for it by a date', async (_, date, retryAfter) => {
    const of = world(busy({ 'retry-after': retryAfter, date }), ok)
    expect(await of.settle(of.kubernetes.create(pods, pod))).toMatchObject({ object: pod })
    expect(of.requests[1]?.at).toBeGreaterThanOrEqual(7_000)
    expect(of.requests[1]?.at).toBeLessThan(7_500)
  })

  it('follows a 5xx or a lost answer of a read, but not of a write that the server may have carried out', async () => {
    const failures: readonly Reply[] = [
      statusAnswer(500, 'InternalError', 'oops'),
      statusAnswer(504, 'Timeout', 'Too large resource version'),
      new TransportError('lost', 'reset'),
      new TransportError('timeout', 'silent'),
      textAnswer(200, 'hello'),
    ]
    for (const failure of failures) {
      const read = world(failure, failure, ok)
      const nonsense = !(failure instanceof TransportError) && 'status' in failure && failure.status === 200
      if (!nonsense) expect(await read.settle(read.kubernetes.get(pods, at))).toEqual(pod)
      const write = world(failure, ok)
      const error = await write.refusal(write.kubernetes.create(pods, pod))
      expect(error).toMatchObject({ kind: 'unavailable', perhapsDone: true })
      expect(write.requests).toHaveLength(1)
    }
    const down = world(new TransportError('lost', 'reset'))
    expect(await down.refusal(down.kubernetes.get(pods, at))).toMatchObject({ kind: 'unavailable', perhapsDone: false })
    expect(down.requests).toHaveLength(5)
  })

  it('follows a request that was never sent, also a write, but not an untrusted certificate', async () => {
    const refused = new TransportError('connect', 'connection refused')
    const back = world(refused, refused, ok)
    expect(await back.settle(back.kubernetes.create(pods, pod))).toMatchObject({ object: pod })
    const down = world(refused)
    const error = await down.refusal(down.kubernetes.create(pods, pod))
    expect(error).toMatchObject({ kind: 'unavailable', perhapsDone: false, status: 0 })
    const untrusted = world(new TransportError('certificate', 'self-signed'))
    await untrusted.refusal(untrusted.kubernetes.get(pods, at))
    expect(untrusted.requests).toHaveLength(1)
  })

  it('ends with the signal, and an attempt without an answer ends after 65 s', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const waiting = world(busy({ 'retry-after': '20' }))
    const call = waiting.kubernetes.create(pods, pod, { signal: controller.signal })
    await waiting.clock.advance(5_000)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(waiting.clock.next()).toBeUndefined()
    const hanging = world(hang)
    const error = await hanging.refusal(hanging.kubernetes.create(pods, pod))
    expect(error).toMatchObject({ kind: 'unavailable', perhapsDone: true })
    expect(error.message).toContain('no answer within 65 s')
  })
})

describe('list', () => {
  const page = (names: readonly string[], next = '') =>
    jsonAnswer(200, {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', continue: next },
      items: names.map((name) => ({ metadata: { name } })),
    })
  const namesOf = (list: unknown) => (list as { items: KubeObject[] }).items.map(({ metadata }) => metadata.name)

  it('follows the pages and gives each object its type', async () => {
    const { kubernetes, requests, settle } = world(page(['a', 'b'], 'next/1'), page(['c']))
    const list = await settle(kubernetes.list(pods, { namespace: 'ci', labelSelector: 'x=y', pageSize: 2 }))
    expect(namesOf(list)).toEqual(['a', 'b', 'c'])
    expect(list).toMatchObject({ resourceVersion: '9', items: [{ apiVersion: 'v1', kind: 'Pod' }, {}, {}] })
    expect(requests.map(({ query }) => query)).toEqual([
      { labelSelector: 'x=y', limit: '2' },
      { labelSelector: 'x=y', limit: '2', continue: 'next/1' },
    ])
  })

  it('starts again if the snapshot expires, and never joins two snapshots', async () => {
    const expired = statusAnswer(410, 'Expired', 'the continue token is too old')
    const { kubernetes, settle } = world(page(['old', 'b'], 'n'), expired, page(['new'], 'n'), page(['c']))
    expect(namesOf(await settle(kubernetes.list(pods)))).toEqual(['new', 'c'])
    const always = world(expired)
    expect((await always.refusal(always.kubernetes.list(pods))).kind).toBe('expired')
    expect(always.requests).toHaveLength(5)
  })

  it('rejects an answer that is not a list, instead of reporting no objects', async () => {
    const noLists: readonly unknown[] = [{}, [], 'x', { items: [] }, { metadata: { resourceVersion: '' }, items: [] }]
    for (const value of [...noLists, { metadata: { resourceVersion: '1' }, items: [{}] }]) {
      const { kubernetes, refusal } = world(jsonAnswer(200, value))
      expect((await refusal(kubernetes.list(pods))).kind).toBe('unavailable')
    }
    const { kubernetes, settle } = world(jsonAnswer(200, { metadata: { resourceVersion: '1' }, items: null }))
    expect(await settle(kubernetes.list(pods))).toEqual({ items: [], resourceVersion: '1' })
  })
})
