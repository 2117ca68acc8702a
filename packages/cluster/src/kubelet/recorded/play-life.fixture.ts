// Plays lives on a cluster through its API, and records each as its states, conditions and Events.
import type { Clock } from '@dayfly/kit/clock'
import { jsonBody, type Method, noBody, type Transport } from '@dayfly/kit/http'
import { field, isObject } from '../../api/values/json.ts'
import { facets, type Look } from './facets.fixture.ts'
import type { Life, Step } from './life.fixture.ts'
import { conditionLines, objects, stateLine } from './state-line.fixture.ts'

export type RecordedLife = {
  readonly name: string
  /** The phase and the containers, each change once. */
  readonly states: readonly string[]
  /** The values of each condition in their order. They are separate, because a kubelet may write two changes in one update or in two. */
  readonly conditions: Readonly<Record<string, readonly string[]>>
  /** Each Event once, sorted: their order and their counts depend on the moment. */
  readonly events: readonly string[]
}

export type Stage = {
  readonly transport: Transport
  readonly clock: Clock
  /** An empty namespace. */
  readonly namespace: string
  /** How many lives are played at the same time. */
  readonly width: number
}

type Json = Readonly<Record<string, unknown>>
type Seen = { readonly looks: Look[]; wake: () => void }

/** The time in which late Events arrive. */
const settleMs = 2_000
const patienceMs = 120_000

/** A probe that the end of its container interrupts. That happens only by chance. */
const interrupted = /^Warning Unhealthy .*context canceled/

export async function playLives(lives: readonly Life[], stage: Stage): Promise<readonly RecordedLife[]> {
  const path = `/api/v1/namespaces/${stage.namespace}`
  const seen = new Map(lives.map(({ name }): [string, Seen] => [name, { looks: [], wake: () => {} }]))
  const over = new AbortController()
  const watching = watchPods(stage, `${path}/pods`, seen, over.signal)
  const rest = [...lives]
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await playLife(stage, path, next, seen.get(next.name))
  }
  await Promise.all(Array.from({ length: stage.width }, work))
  await stage.clock.sleep(settleMs)
  const events = objects(field(await call(stage, 'GET', `${path}/events`), 'items'))
  over.abort()
  await watching
  return lives.map(({ name }) => {
    const own = events.filter((event) => field(event, 'involvedObject', 'name') === name)
    const lines = own.map((event) => plain(eventLine(event), stage.namespace)).filter((line) => !interrupted.test(line))
    return { name, ...facets(seen.get(name)?.looks ?? []), events: [...new Set(lines)].sort() }
  })
}

async function playLife(stage: Stage, path: string, life: Life, seen?: Seen): Promise<void> {
  const { name, spec, steps, neighbour } = life
  const other = `${path}/pods/${name}-neighbour`
  if (neighbour) {
    const metadata = { name: `${name}-neighbour`, labels: { beside: name } }
    await call(stage, 'POST', `${path}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec: neighbour })
    while (field(await call(stage, 'GET', other), 'status', 'phase') !== 'Running') await stage.clock.sleep(200)
  }
  await call(stage, 'POST', `${path}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
  for (const { when, waitMs = 0, do: action } of steps) {
    await until(stage.clock, seen, (line) => when.test(line))
    await stage.clock.sleep(waitMs)
    await act(stage, `${path}/pods/${name}`, name, action)
  }
  await until(stage.clock, seen, (line) => line === 'gone')
  if (neighbour) await call(stage, 'DELETE', other, {})
}

async function act(stage: Stage, pod: string, name: string, action: Step['do']): Promise<void> {
  if (action === 'evict') {
    await call(stage, 'POST', `${pod}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
  } else if ('delete' in action) {
    await call(stage, 'DELETE', pod, action.delete)
  } else {
    const now = new Date(stage.clock.now()).toISOString().replace(/\.\d+/, '')
    const condition = { type: action.gate, status: 'True', lastTransitionTime: now }
    await call(stage, 'PATCH', `${pod}/status`, { status: { conditions: [condition] } })
  }
}

async function until(clock: Clock, seen: Seen | undefined, isThere: (line: string) => boolean): Promise<void> {
  const end = clock.now() + patienceMs
  while (seen && !isThere(seen.looks.at(-1)?.state ?? '')) {
    if (clock.now() > end)
      throw new Error(`the pod did not go on after: ${seen.looks.map(({ state }) => state).join('\n')}`)
    const over = new AbortController()
    seen.wake = () => over.abort()
    await clock.sleep(1_000, over.signal).catch(() => undefined)
  }
}

async function watchPods(
  stage: Stage,
  path: string,
  seen: ReadonlyMap<string, Seen>,
  signal: AbortSignal,
): Promise<void> {
  const query = { watch: '1', timeoutSeconds: '3600' }
  const answer = await stage.transport({
    method: 'GET',
    path,
    query,
    headers: {},
    body: noBody,
    expect: 'events',
    signal,
  })
  if (answer.body.kind !== 'events') throw new Error(`the watch was refused with ${answer.status}`)
  try {
    for await (const event of answer.body.items) note(event, seen, stage.namespace)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function note(event: unknown, seen: ReadonlyMap<string, Seen>, namespace: string): void {
  const pod = field(event, 'object')
  const own = seen.get(String(field(pod, 'metadata', 'name')))
  if (!own || !isObject(pod)) return
  const text = (value: string) => plain(value, namespace)
  if (field(event, 'type') === 'DELETED') own.looks.push({ state: 'gone', conditions: new Map() })
  else own.looks.push({ state: stateLine(pod, text), conditions: conditionLines(pod, text) })
  own.wake()
}

function eventLine(event: Json): string {
  const place = field(event, 'involvedObject', 'fieldPath')
  const { type, reason, message } = event
  return [type, reason, ...(place === undefined ? [] : [place]), `[${String(message).trim()}]`].join(' ')
}

/** Replaces the parts of a text that differ between clusters and moments. */
function plain(text: string, namespace: string): string {
  return text
    .replaceAll(namespace, '$NS')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uid)')
    .replace(/(assigned \S+ to) \S+?(\]|$)/, '$1 (node)$2')
    .replace(/\b\d+\.\d+\.\d+\.\d+(:\d+)?/g, '(address)$1')
    .replace(/(failed to pull and unpack image|image "\S+" has no program) .+?(?=\]|$)/, '(cause)')
}

async function call(stage: Stage, method: Method, path: string, body?: object): Promise<Json> {
  const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json'
  const headers: Record<string, string> = body ? { 'content-type': type } : {}
  const content = body ? jsonBody(body) : noBody
  const answer = await stage.transport({ method, path, query: {}, headers, body: content, expect: 'whole' })
  const value = answer.body.kind === 'json' ? answer.body.value : undefined
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(value)}`)
  return isObject(value) ? value : {}
}
