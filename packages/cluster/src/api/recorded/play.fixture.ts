// Plays calls on an API server in order. Keeps the parts of each answer that are equal on all clusters.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonBody, noBody, type Request, type Transport } from '@dayfly/kit/http'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { field, isObject } from '../values/json.ts'
import type { Call, CallAnswer, Exchange } from './calls.fixture.ts'

/** How often a call with `until` is repeated, every 100 ms. */
const attempts = 100

/** Fields whose values differ between clusters or moments. Only their presence is kept. */
const momentary = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'lastTransitionTime'])
const dropped = new Set(['managedFields', 'selfLink'])

type Stage = { readonly transport: Transport; readonly namespace: string; readonly clock: Clock }

/** Resolves with the calls and the answers of this stage. */
export async function play(calls: readonly Omit<Exchange, 'answer'>[], on: Stage): Promise<readonly Exchange[]> {
  const played: Exchange[] = []
  let version = ''
  for (const { title, call } of calls) {
    let answer = await send(call, version, on)
    for (let attempt = 0; call.until !== undefined && attempt < attempts; attempt++) {
      if (JSON.stringify(answer.body).includes(call.until)) break
      await on.clock.sleep(100)
      answer = await send(call, version, on)
    }
    const value = answer.body.kind === 'json' ? answer.body.value : undefined
    if (call.remember) version = String(field(value, 'metadata', 'resourceVersion'))
    const body = stable(call.owners ? withOwners(summary(value)) : summary(value), on.namespace)
    played.push({ title, call, answer: { status: answer.status, body, ...warningsOf(answer) } })
  }
  return played
}

async function send(call: Call, version: string, on: Stage): Promise<Answer> {
  const { method, change, type = 'application/json' } = call
  const path = call.path.replace('$NS', on.namespace)
  const query = { ...call.query }
  if (query['resourceVersion'] === '$VERSION') query['resourceVersion'] = version
  const request = (body: unknown): Request => ({
    ...{ method, path, query, expect: 'whole' },
    headers: body === undefined ? {} : { 'content-type': type },
    body: body === undefined ? noBody : jsonBody(body),
  })
  if (call.take !== undefined) return firstEvents(on.transport, request(undefined), call.take)
  if (change === undefined) return on.transport(request(withNamespace(call.body, on.namespace)))
  const current = await on.transport({ ...request(undefined), method: 'GET' })
  const object = current.body.kind === 'json' && isObject(current.body.value) ? current.body.value : {}
  return on.transport(request(applyJsonPatch(object, change)))
}

/** Returns the first events of a watch as if they were one body. */
async function firstEvents(transport: Transport, request: Request, count: number): Promise<Answer> {
  const stop = new AbortController()
  const answer = await transport({ ...request, expect: 'events', signal: stop.signal })
  if (answer.body.kind !== 'events') return answer
  const events: unknown[] = []
  for await (const event of answer.body.items) if (events.push(event) === count) break
  stop.abort()
  return { ...answer, body: { kind: 'json', value: events } }
}

function withNamespace(value: unknown, namespace: string): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll('$NS', namespace))
}

/** Keeps only the names of a list: other calls read its items. */
function summary(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['items'])) return body
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  return {
    kind: body['kind'],
    names: body['items'].map((item) => (isObject(item) && isObject(item['metadata']) ? item['metadata']['name'] : '')),
    remaining: metadata['remainingItemCount'],
  }
}

/** Keeps the owners of fields under a name of their own, in an order that does not depend on the time. */
function withOwners(body: unknown): unknown {
  if (!isObject(body) || !isObject(body['metadata'])) return body
  const entries = body['metadata']['managedFields']
  if (!Array.isArray(entries)) return body
  const owners = entries
    .map((entry) => ({ ...(isObject(entry) ? entry : {}), time: '(set)' }))
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  return { ...body, metadata: { ...body['metadata'], owners } }
}

function nameOf(entry: unknown): string {
  return ['manager', 'operation', 'subresource'].map((name) => String(field(entry, name) ?? '')).join(' ')
}

function stable(value: unknown, namespace: string): unknown {
  if (Array.isArray(value)) return value.map((item) => stable(item, namespace))
  if (typeof value === 'string') {
    return value
      .replaceAll(namespace, '$NS')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uid)')
      .replace(/in record \(\d+\)/, 'in record (version)')
  }
  if (!isObject(value)) return value
  const kept: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (item === null || item === undefined || dropped.has(name)) continue
    if (name === 'causes' && Array.isArray(item)) kept[name] = once(item.map((cause) => stable(cause, namespace)))
    else kept[name] = momentary.has(name) ? '(set)' : stable(item, namespace)
  }
  return kept
}

/** Kubernetes validates metadata twice and lists some causes twice. */
function once(causes: readonly unknown[]): readonly unknown[] {
  const different = [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()]
  // The order of conflicts is that of a Go map.
  const conflicts = different.every((cause) => field(cause, 'reason') === 'FieldManagerConflict')
  return conflicts ? different.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) : different
}

function warningsOf(answer: Answer): Pick<CallAnswer, 'warnings'> {
  const header = answer.headers['warning'] ?? ''
  const warnings = [...header.matchAll(/299 - ("(?:\\.|[^"\\])*")/g)].map(([, text = '""']) => String(JSON.parse(text)))
  return warnings.length === 0 ? {} : { warnings }
}
