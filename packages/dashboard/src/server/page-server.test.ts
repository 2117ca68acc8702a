import type { Answer, Request } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it, test } from 'vitest'
import type { Life, Mark } from '../model/life.ts'
import type { Snapshot } from '../model/page-state.ts'
import type { SetNow } from '../model/set-now.ts'
import { masked } from './mask.ts'
import { PageServer } from './page-server.ts'
import { sampleLife, sampleSet, start } from './samples.fixture.ts'
import { everything, ofNamespaces, type Scope } from './scope.ts'
import type { Gate, PastSource, PresentSource } from './source.ts'

/** A page over two sets and two lives, whose tables the test changes. */
function stage(scope: Scope = everything, seed = 1) {
  const clock = virtualClock(start)
  const sets = new Map<string, SetNow>([sampleSet('ci/a'), sampleSet('ml/b')].map((set) => [set.id, set]))
  const lives = new Map<string, Life>()
  const touched: string[] = []
  const marks: Mark[] = ['ci/a', 'ml/b'].map((set) => ({
    at: start,
    kind: 'set-added',
    set,
    sentence: `${set} was added.`,
  }))
  const live = (life: Life) => {
    lives.set(life.id, life)
    touched.push(life.id)
  }
  live(sampleLife('ci/r1', 'ci/a'))
  live(sampleLife('ml/r2', 'ml/b'))
  const nothing = { sentences: [], problem: null, containers: null, events: null, scheduledAt: null, pulledAt: null }
  const present: PresentSource = {
    sets: () => [...sets.values()],
    health: () => [],
    limits: [],
    runner: async () => ({ ...nothing, unknown: [], hasLog: false }),
    log: () => lines('one', 'token=ghs_0123456789abcdef'),
  }
  const past = {
    since: () => start,
    touched: () => ({ ids: { lives: touched.splice(0), jobs: [], failures: [] }, all: false }),
    life: (id: string) => lives.get(id),
    marks: () => marks,
    timeline: () => [],
  } as unknown as PastSource
  const gate: Gate = async ({ headers }) =>
    headers['x-user'] === 'nobody'
      ? { is: 'refused', status: 401, sentence: 'Who?', next: 'Say it.' }
      : { is: 'admitted', scope }
  const page = new PageServer({
    clock,
    random: seededRandom(seed),
    present,
    past,
    gate,
    asset: () => undefined,
    version: 'test',
  })
  const get = (path: string, query = {}, more: Partial<Request> = {}) =>
    page.handle({ method: 'GET', path, query, headers: {}, body: { kind: 'none' }, expect: 'whole', ...more })
  return { clock, page, sets, live, lives, touched, marks, get }
}

async function* lines(...texts: readonly string[]) {
  yield* texts
}

function json(answer: Answer): never {
  return (answer.body.kind === 'json' ? answer.body.value : undefined) as never
}

/** Reads the events of a stream one by one. */
function events(answer: Answer) {
  if (answer.body.kind !== 'bytes') throw new Error('no stream')
  const chunks = answer.body.chunks[Symbol.asyncIterator]()
  return async () => {
    const { value } = await chunks.next()
    const [, name, data] = /^event: (\w+)\n(?:id: \d+\n)?data: (.*)\n\n$/s.exec(String(value)) ?? []
    return { name, data: JSON.parse(data ?? 'null') }
  }
}

describe('changes', () => {
  it('begin with what the viewer lacks, and hold all that changed meanwhile', async () => {
    const { clock, get, sets, live, lives, touched } = stage()
    const { version } = json(await get('/api/snapshot')) as { version: number }
    const next = events(await get('/api/changes', { after: String(version) }))
    await next()
    sets.set('ci/a', sampleSet('ci/a', { waiting: 4, oldestQueuedAt: start }))
    live(sampleLife('ci/r1', 'ci/a', { phase: 'busy' }))
    lives.delete('ml/r2')
    touched.push('ml/r2')
    const pending = next()
    await clock.advance(2_000)
    const { name, data } = await pending
    expect(name).toBe('changes')
    expect(data.put.sets).toMatchObject([{ id: 'ci/a', waiting: 4 }])
    expect(data.put.lives).toMatchObject([{ id: 'ci/r1', phase: 'busy' }])
    expect(data.gone).toEqual({ lives: ['ml/r2'] })
  })

  it.each(['', '99999', '-1', 'x'])('from version "%s" begin with a snapshot', async (after) => {
    const { get } = stage()
    const next = events(await get('/api/changes', { after }))
    expect(await next()).toMatchObject({ name: 'snapshot', data: { sets: [{ id: 'ci/a' }, { id: 'ml/b' }] } })
  })

  it('hold what changed while a slow viewer still took its snapshot', async () => {
    const { clock, get, sets } = stage()
    const next = events(await get('/api/changes'))
    expect((await next()).name).toBe('snapshot')
    sets.set('ci/a', sampleSet('ci/a', { waiting: 4 }))
    await clock.advance(2_000)
    const pending = next()
    await clock.advance(2_000)
    expect(await pending).toMatchObject({ name: 'changes', data: { put: { sets: [{ id: 'ci/a', waiting: 4 }] } } })
  })

  it.each([
    [1, 2],
    [2, 1],
  ])('from a version of another process begin with a snapshot', async (before, after) => {
    const { version } = json(await stage(everything, before).get('/api/snapshot')) as { version: number }
    const next = events(await stage(everything, after).get('/api/changes', { after: String(version) }))
    expect((await next()).name).toBe('snapshot')
  })

  it('have a mark of the same time as the last one', async () => {
    const { clock, get, marks } = stage()
    const next = events(await get('/api/changes'))
    await next()
    marks.push({ at: start, kind: 'set-paused', set: 'ci/a', sentence: 'ci/a was paused.' })
    const pending = next()
    await clock.advance(2_000)
    expect((await pending).data.marks).toHaveLength(3)
  })

  it('show a beat while nothing changes', async () => {
    const { clock, get } = stage()
    const next = events(await get('/api/changes'))
    await next()
    const beat = next()
    await clock.advance(11_000)
    expect((await beat).name).toBe('beat')
  })
})

test('a stream ends after ten minutes, so that the rights of its viewer are checked again', async () => {
  const { clock, get } = stage()
  const { body } = await get('/api/changes')
  let ended = false
  const reading = (async () => {
    if (body.kind === 'bytes') for await (const _ of body.chunks);
    ended = true
  })()
  await clock.advance(9 * 60_000)
  expect(ended).toBe(false)
  await clock.advance(2 * 60_000)
  await reading
})

test('a viewer of one namespace finds nothing of another', async () => {
  const { clock, get, live, marks } = stage(ofNamespaces(['ci']))
  const snapshot = json(await get('/api/snapshot')) as Snapshot
  expect(JSON.stringify(snapshot)).toContain('ci/r1')
  expect(JSON.stringify(snapshot)).not.toContain('ml/')
  const next = events(await get('/api/changes', { after: String(snapshot.version) }))
  const first = await next()
  marks.push({ at: start, kind: 'set-changed', set: 'ml/b', sentence: 'ml/b was changed.' })
  live(sampleLife('ml/r2', 'ml/b', { phase: 'busy' }))
  live(sampleLife('ci/r1', 'ci/a', { phase: 'busy' }))
  const pending = next()
  await clock.advance(2_000)
  const streamed = JSON.stringify([first, await pending])
  expect(streamed).toContain('"phase":"busy"')
  expect(streamed).toContain('ci/a was added.')
  expect(streamed).not.toContain('ml/')
  expect((await get('/api/runner', { id: 'ml/r2' })).status).toBe(404)
  expect((await get('/api/log', { id: 'ml/r2' })).status).toBe(404)
})

test.each([
  ['/api/snapshot', 401],
  ['/api/changes', 401],
  ['/api/find', 401],
])('%s shows an unknown viewer nothing', async (path, status) => {
  const { get } = stage()
  const answer = await get(path, {}, { headers: { 'x-user': 'nobody' } })
  expect(answer.status).toBe(status)
  expect(json(answer)).toEqual({ error: { sentence: 'Who?', next: 'Say it.' } })
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s is refused: the page only reads', async (method) => {
  const { get } = stage()
  expect((await get('/api/snapshot', {}, { method })).status).toBe(405)
})

test('every answer forbids foreign code, frames and caches', async () => {
  const { get } = stage()
  for (const path of ['/', '/api/snapshot', '/api/none']) {
    const { headers } = await get(path)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
    )
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  }
})

test('a log is masked', async () => {
  const { get } = stage()
  const next = events(await get('/api/log', { id: 'ci/r1' }))
  expect(await next()).toEqual({ name: 'line', data: 'one' })
  expect(await next()).toEqual({ name: 'line', data: 'token=***' })
})

test.each([
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '***'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
  ['clone https://x-access-token:v1.abc@github.com/a/b', 'clone https://x-access-token:***@github.com/a/b'],
  ['eyJhbGciOi.eyJzdWIiOi.c2ln', '***'],
  ['export PASSWORD="hunter22"', 'export PASSWORD="***"'],
  [`--jitconfig ${'QUJD'.repeat(80)}==`, '--jitconfig ***'],
  ['Running job: build (ubuntu, 20)', 'Running job: build (ubuntu, 20)'],
])('a log line shows no secret: case %#', (line, shown) => {
  expect(masked(line)).toBe(shown)
})
