// GET pods/NAME/log: serves a container's output as plain text, and follows it if asked.
import { type Answer, noBody, type Request } from '@dayfly/kit/http'
import { badRequest, invalid, notFound } from '../api/errors.ts'
import type { LogOptions } from '../api/node.ts'
import { invalidValue, notAllowed } from '../api/values/field-error.ts'
import { text } from '../api/values/json.ts'
import type { Call } from './call.ts'
import { containerOf } from './pod-container.ts'
import { isTrue } from './route.ts'

/** The milliseconds to wait for the first output before the answer starts. A refusal arrives within this time. */
const firstOutputMs = 100

export async function logAnswer(call: Call): Promise<Answer> {
  const { route, backend, request } = call
  const pod = backend.registry.get('pods', route.namespace, route.name)
  if (!pod) throw notFound(route.kind, route.name)
  const container = containerOf(pod, request.query['container'] ?? '')
  const options = logOptions(request.query, backend.clock.now(), route.name)
  if (text(pod, 'spec', 'nodeName') === '') return { status: 204, headers: {}, body: noBody }
  const until = new AbortController()
  const stop = (): void => until.abort(request.signal?.reason)
  if (request.signal?.aborted) stop()
  request.signal?.addEventListener('abort', stop, { once: true })
  const output = backend.node.logs(
    { namespace: route.namespace ?? '', pod: route.name, container },
    options,
    until.signal,
  )
  const chunks = output[Symbol.asyncIterator]()
  const first = chunks.next()
  first.catch(() => {})
  const waited = new AbortController()
  try {
    await Promise.race([first, backend.clock.sleep(firstOutputMs, waited.signal)])
  } finally {
    waited.abort()
  }
  const end = (): void => {
    request.signal?.removeEventListener('abort', stop)
    until.abort()
  }
  const body = { kind: 'bytes', chunks: outputFrom(first, chunks, end) } as const
  return { status: 200, headers: { 'content-type': 'text/plain' }, body }
}

/** Yields the stream, beginning with its first part, which was requested earlier. */
async function* outputFrom(
  first: Promise<IteratorResult<string>>,
  rest: AsyncIterator<string>,
  end: () => void,
): AsyncGenerator<string> {
  try {
    for (let piece = await first; !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    end()
    await rest.return?.()
  }
}

function logOptions(query: Request['query'], now: number, pod: string): LogOptions {
  const sinceTime = query['sinceTime']
  if (sinceTime !== undefined && query['sinceSeconds'] !== undefined) {
    const why = 'at most one of `sinceTime` or `sinceSeconds` may be specified'
    throw invalid({ group: '', kind: 'PodLogOptions' }, pod, [notAllowed('[]', why)])
  }
  const since = sinceTime === undefined ? undefined : (now - Date.parse(sinceTime)) / 1000
  if (since !== undefined && Number.isNaN(since)) throw badRequest(`sinceTime: Invalid value: "${sinceTime}"`)
  return {
    follow: isTrue(query['follow']),
    previous: isTrue(query['previous']),
    timestamps: isTrue(query['timestamps']),
    tailLines: atLeast(query, 'tailLines', 0, pod),
    sinceSeconds: atLeast(query, 'sinceSeconds', 1, pod) ?? since,
    limitBytes: atLeast(query, 'limitBytes', 1, pod),
  }
}

function atLeast(query: Request['query'], name: string, least: 0 | 1, pod: string): number | undefined {
  const given = query[name]
  if (given === undefined || given === '') return undefined
  const value = Number(given)
  if (!Number.isInteger(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`)
  if (value >= least) return value
  const why = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0'
  throw invalid({ group: '', kind: 'PodLogOptions' }, pod, [invalidValue(name, value, why)])
}
