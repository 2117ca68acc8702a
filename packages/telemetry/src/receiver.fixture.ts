// A receiver of OTLP/HTTP for tests: it stores what a collector would receive, and can be slow, silent or broken.
// The shapes are those of the JSON encoding: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

type Value = { readonly stringValue?: string; readonly intValue?: string | number; readonly doubleValue?: number }
type Pair = { readonly key: string; readonly value: Value }
type Scope<Name extends string, Item> = { readonly [name in Name]?: readonly Item[] }
type Resource = { readonly attributes?: readonly Pair[] }
type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number | string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: readonly Pair[]
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly Pair[] }[]
  readonly status?: { readonly code?: number | string; readonly message?: string }
}
type Point = {
  readonly attributes?: readonly Pair[]
  readonly asInt?: string | number
  readonly asDouble?: number
  readonly sum?: number
  readonly count?: string | number
}
type Data = { readonly dataPoints: readonly Point[] }
type Metric = { readonly name: string; readonly unit?: string; readonly sum?: Data; readonly histogram?: Data }
type Body = {
  readonly resourceSpans?: readonly {
    readonly resource?: Resource
    readonly scopeSpans?: readonly Scope<'spans', Span>[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly resource?: Resource
    readonly scopeMetrics?: readonly Scope<'metrics', Metric>[]
  }[]
}

export type ReceivedSpan = ReturnType<typeof spanOf>
export type Receiver = Awaited<ReturnType<typeof openReceiver>>
export type Manner = 'takes' | 'refuses' | 'is silent'

export async function openReceiver() {
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = []
  const manner: { is: Manner } = { is: 'takes' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (manner.is === 'is silent') return
      const body = Buffer.concat(chunks)
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
      requests.push({ path: request.url ?? '', headers: request.headers, text })
      response.writeHead(manner.is === 'takes' ? 200 : 400, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bodies = () => requests.map(({ text }) => JSON.parse(text) as Body)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    manner,
    resource: () =>
      attributesOf((bodies()[0]?.resourceSpans ?? bodies()[0]?.resourceMetrics)?.[0]?.resource?.attributes),
    spans: () =>
      bodies().flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans.map(spanOf))),
      ),
    /** The points of the last request that has the metric. */
    points: (name: string) => pointsOf(bodies(), name),
    metrics: () => new Map(allMetrics(bodies()).map((metric) => [metric.name, metric.unit])),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function allMetrics(bodies: readonly Body[]): readonly Metric[] {
  return bodies.flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics = [] }) => scopeMetrics.flatMap(({ metrics = [] }) => metrics)),
  )
}

function pointsOf(bodies: readonly Body[], name: string) {
  const metric = allMetrics(bodies).findLast((one) => one.name === name)
  return (metric?.histogram ?? metric?.sum)?.dataPoints.map((point) => ({
    ...attributesOf(point.attributes),
    value: Number(point.sum ?? point.asInt ?? point.asDouble),
  }))
}

function spanOf(span: Span) {
  const { name, traceId, spanId, status, events = [] } = span
  return {
    name,
    traceId,
    spanId,
    /** Empty: a root. */
    parent: span.parentSpanId ?? '',
    kind: Number(span.kind),
    startAt: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endAt: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
    attributes: attributesOf(span.attributes),
    events: events.map((event) => ({ name: event.name, attributes: attributesOf(event.attributes) })),
    failed: Number(status?.code ?? 0) === 2,
    message: status?.message ?? '',
  }
}

function attributesOf(pairs: readonly Pair[] = []): Readonly<Record<string, string>> {
  const text = ({ stringValue, intValue, doubleValue }: Value) => String(stringValue ?? intValue ?? doubleValue ?? '')
  return Object.fromEntries(pairs.map(({ key, value }) => [key, text(value)]))
}
