// A whole cluster under fuzz: sends one request, reads the whole answer, and checks what must hold after it.
import { type Answer, type Method, noBody, parseBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { Registry } from './api/registry.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { samples } from './fuzz-objects.fixture.ts'
import type { FuzzRequest } from './fuzz-requests.fixture.ts'
import { createScriptedRuntime } from './runtime/scripted/scripted-runtime.ts'
import { keyOf, type ResourceKey, type StoredObject } from './store/object.ts'

/** The effect of one request. `cpuMs` is the processor time until its answer was written. */
export type Outcome = { readonly status: number; readonly cpuMs: number; readonly text: string }

export async function fuzzWorld(seed: number) {
  const clock = virtualClock()
  const runtime = createScriptedRuntime({ clock, script: () => ({ endsAfterMs: 5_000 }) })
  const cluster = createCluster({ clock, random: seededRandom(seed), runtime, users: new Map([['token', 'fuzz']]) })
  const ask = async (request: FuzzRequest): Promise<Outcome> => {
    const started = process.cpuUsage()
    const client = new AbortController()
    const { bytes, headers, ...rest } = request
    const body = bytes.length === 0 ? noBody : parseBody(bytes, headers['content-type'] ?? '')
    const all = { authorization: 'Bearer token', ...headers }
    const asked = { ...rest, headers: all, body, expect: 'whole', signal: client.signal } as const
    const answer = await cluster.handler(asked)
    client.abort(new Error('the client went away'))
    const text = await written(answer)
    const { user, system } = process.cpuUsage(started)
    return { status: answer.status, cpuMs: (user + system) / 1000, text }
  }
  const send = (method: Method, path: string, object?: unknown, type = 'application/json') => {
    const bytes = object === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(object))
    return ask({ method, path, query: {}, headers: { 'content-type': type }, bytes })
  }
  /** Creates again what the requests deleted. */
  const refill = async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'ci' } })
    for (const { at, object } of samples) await send('POST', at, object)
    await clock.advance(1_000)
  }
  await refill()
  return { cluster, clock, ask, send, refill }
}

/** Writes an answer as the HTTP server does. The client has gone, so that streams end. */
async function written({ body }: Answer): Promise<string> {
  if (body.kind === 'json') return JSON.stringify(body.value)
  if (body.kind === 'text') return body.text
  if (body.kind === 'events') {
    let text = ''
    for await (const item of body.items) text += `${JSON.stringify(item)}\n`
    return text
  }
  if (body.kind === 'bytes') {
    let size = 0
    try {
      for await (const chunk of body.chunks) size += chunk.length
    } catch (error) {
      if (!(error instanceof Error && error.message === 'the client went away')) throw error
    }
    return `${size} bytes`
  }
  return ''
}

/** Returns what is wrong with the stored objects: each must be plain JSON with its own identity, and may be written back. */
export function brokenObjects({ registry }: Cluster): readonly string[] {
  const problems: string[] = []
  const uids = new Map<string, string>()
  for (const kind of registry.kinds.all()) {
    if (!kind.verbs.includes('list')) continue
    for (const object of registry.list(kind.resource)) {
      const { uid, resourceVersion, name, namespace } = object.metadata
      const what = `${kind.resource} ${keyOf(namespace, name)}`
      const copy = JSON.parse(JSON.stringify(object)) as { readonly metadata?: { readonly uid?: unknown } }
      if (JSON.stringify(copy) !== JSON.stringify(object)) problems.push(`${what} is no plain JSON`)
      if (typeof uid !== 'string' || uid === '') problems.push(`${what} has no uid`)
      else if (uids.has(uid)) problems.push(`${what} shares its uid with ${uids.get(uid)}`)
      uids.set(uid, what)
      const revision = Number(resourceVersion)
      if (!/^\d+$/.test(resourceVersion) || revision > registry.revision()) problems.push(`${what}: ${resourceVersion}`)
      if (registry.get(kind.resource, namespace, name) !== object) problems.push(`${what} is not under its own name`)
      if (kind.namespaced !== (typeof namespace === 'string')) problems.push(`${what} is in the wrong scope`)
      if (object.kind !== kind.kind) problems.push(`${what} is a ${object.kind}`)
      if (kind.verbs.includes('update') && !isAcceptedAgain(registry, kind.resource, copy, object))
        problems.push(`${what} cannot be written back`)
      if (!Object.isFrozen(object) || !Object.isFrozen(object.metadata)) problems.push(`${what} is not frozen`)
    }
  }
  return problems
}

/** Returns whether the registry accepts its own object, and sees that nothing changes. */
function isAcceptedAgain(registry: Registry, resource: ResourceKey, copy: object, object: StoredObject): boolean {
  try {
    return registry.update(resource, copy) === object
  } catch {
    return false
  }
}
