// Plays calls on an API server, one after the other, and keeps of each answer what must not differ from cluster to cluster.
import type { Clock } from '../../../lib/clock.ts'
import { type Answer, jsonBody, noBody, type Request, type Transport } from '../../../lib/http.ts'
import { isObject } from '../json.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import type { Call } from './call.ts'

export type Recorded = {
  readonly title: string
  readonly status: number
  readonly body: unknown
  readonly warnings: readonly string[]
}

/** How often a call with `until` is asked again, every 100 ms. */
const attempts = 100

/** Fields whose values belong to one cluster or one moment; that they are there is kept. */
const momentary = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'lastTransitionTime'])
const dropped = new Set(['managedFields', 'selfLink'])

export async function play(
  calls: readonly Call[],
  on: { readonly transport: Transport; readonly namespace: string; readonly clock: Clock },
): Promise<readonly Recorded[]> {
  const answers: Recorded[] = []
  for (const call of calls) {
    let answer = await send(call, on)
    for (let attempt = 0; call.until !== undefined && attempt < attempts; attempt++) {
      if (JSON.stringify(answer.body).includes(call.until)) break
      await on.clock.sleep(100)
      answer = await send(call, on)
    }
    const { kind, value } = { value: undefined, ...answer.body }
    const body = kind === 'json' ? stable(summary(value), on.namespace) : undefined
    answers.push({ title: call.title, status: answer.status, body, warnings: warningsOf(answer) })
  }
  return answers
}

async function send(call: Call, on: { readonly transport: Transport; readonly namespace: string }): Promise<Answer> {
  const inPlay = (value: unknown): unknown =>
    value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll('$NS', on.namespace))
  const path = call.path.replace('$NS', on.namespace)
  const request = (method: Request['method'], body: unknown, type: string): Promise<Answer> =>
    on.transport({
      method,
      path,
      query: method === 'GET' && call.change !== undefined ? {} : (call.query ?? {}),
      headers: body === undefined ? {} : { 'content-type': type },
      body: body === undefined ? noBody : jsonBody(body),
      expect: 'whole',
    })
  if (call.change === undefined) return request(call.method, inPlay(call.body), call.type ?? 'application/json')
  const current = await request('GET', undefined, '')
  const object = current.body.kind === 'json' && isObject(current.body.value) ? current.body.value : {}
  return request('PUT', applyJsonPatch(object, call.change), 'application/json')
}

/** Of a list only the names: its items are seen elsewhere. */
function summary(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['items'])) return body
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  return {
    kind: body['kind'],
    names: body['items'].map((item) => (isObject(item) && isObject(item['metadata']) ? item['metadata']['name'] : '')),
    remaining: metadata['remainingItemCount'],
  }
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

/** Kubernetes checks metadata twice and lists some causes twice. */
function once(causes: readonly unknown[]): readonly unknown[] {
  return [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()]
}

function warningsOf(answer: Answer): readonly string[] {
  const header = answer.headers['warning'] ?? ''
  return [...header.matchAll(/299 - ("(?:\\.|[^"\\])*")/g)].map(([, text = '""']) => String(JSON.parse(text)))
}
