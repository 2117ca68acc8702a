// The API server of the client benchmark, in its own process. It serves 10,000 pods, whole, in pages or as a stream. Then it sends changes as
// fast as the client reads them.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { podName, podText } from './client-pods.ts'
import { digest } from './client-report.ts'

const pods = Number(process.env['BENCH_PODS'])
const events = Number(process.env['BENCH_EVENTS'])

const listedAt = 1_000_000 + pods
const listed = Array.from({ length: pods }, (_, index) => podText(index, 1_000_000 + index, 'Pending'))
const added = listed.map((text) => eventLine('ADDED', text))
/** The lines of the changes. Only the version differs from round to round, so that the server needs little CPU time. */
const modified = listed.map((_, index) => eventLine('MODIFIED', podText(index, listedAt, 'Running')))
const versionAt = modified.map((line) => line.indexOf(`"resourceVersion":"${listedAt}"`) + '"resourceVersion":"'.length)

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  response.setHeader('content-type', 'application/json')
  void (query.get('watch') === 'true' ? watch(response, query) : list(response, query))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(
  `${JSON.stringify({ port: (server.address() as AddressInfo).port, keysDigest: digest(finalKeys()) })}\n`,
)
process.stdin.resume().on('end', () => process.exit(0))

async function list(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const from = Number(query.get('continue') ?? 0)
  const end = Math.min(pods, from + Number(query.get('limit') ?? pods))
  const next = end < pods ? `"continue":"${end}",` : ''
  response.write(`{"kind":"PodList","apiVersion":"v1","metadata":{${next}"resourceVersion":"${listedAt}"},"items":[`)
  for (let index = from; index < end; index += 100) {
    const some = listed.slice(index, Math.min(end, index + 100)).join(',')
    await write(response, index === from ? some : `,${some}`)
  }
  response.end(']}\n')
}

async function watch(response: ServerResponse, query: URLSearchParams): Promise<void> {
  response.flushHeaders()
  if (query.get('sendInitialEvents') === 'true') {
    for (const line of added) await write(response, line)
    await write(response, eventLine('BOOKMARK', bookmark(listedAt, '"k8s.io/initial-events-end":"true"')))
  }
  let version = listedAt
  for (let round = 0; round < events; round++) {
    const line = modified[round % pods] ?? Buffer.alloc(0)
    line.write(String(++version), versionAt[round % pods] ?? 0)
    await write(response, line)
  }
  await write(response, eventLine('ADDED', podText(pods, ++version, 'Running')))
  for (const index of [1, 3, 0]) await write(response, eventLine('DELETED', podText(index, ++version, 'Running')))
}

/** Returns the keys that every client holds after the last event: one pod is new and three are deleted. The last event deletes pod 0. */
function finalKeys(): string[] {
  const keys: string[] = []
  for (let index = 0; index <= pods; index++) if (![1, 3, 0].includes(index)) keys.push(podName(index))
  return keys
}

function bookmark(version: number, annotations: string): string {
  return `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${version}","annotations":{${annotations}}}}`
}

function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`)
}

async function write(response: ServerResponse, data: string | Buffer): Promise<void> {
  if (response.destroyed || response.write(data)) return
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
