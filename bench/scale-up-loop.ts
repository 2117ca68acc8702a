// The limit of the benchmark: a plain concurrent loop of the same requests over node:https and node:http, with nothing of Dayfly's clients.
// Usage: scale-up-loop OPTIONS, a line of JSON. Each line on the standard input begins the next step, and each step prints a line.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { createInterface } from 'node:readline'
import { createSecureContext } from 'node:tls'
import { buildPod, buildSecret } from '@dayfly/runner-set/core/pod'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

export type LoopOptions = {
  readonly server: string
  readonly ca: string
  readonly token: string
  readonly forge: { readonly url: string; readonly token: string }
  /** The set whose pods and Secrets the loop creates. */
  readonly set: RunnerSet
  readonly count: number
  /** How many runners, calls of the forge and calls of the API server are under way at once. */
  readonly width: number
  readonly forgeWidth: number
  readonly apiWidth: number
}

type Made = { readonly name: string; readonly uid: string }

const options = JSON.parse(process.argv[2] ?? '') as LoopOptions
const { set, count, forge } = options
const api = new URL(options.server)
const secureContext = createSecureContext({ ca: options.ca })
const apiAgent = new HttpsAgent({ keepAlive: true, maxSockets: options.apiWidth, secureContext })
const forgeAgent = new HttpAgent({ keepAlive: true, maxSockets: options.forgeWidth })

const jitConfig = await openScaleSet()
const made: Made[] = []
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
print({ is: 'ready' })
await input.next()
await eachOf(
  Array.from({ length: count }, (_, index) => `loop-${index}`),
  create,
)
print({ is: 'created' })
await input.next()
await eachOf(made, remove)
print({ is: 'removed' })

async function create(name: string): Promise<void> {
  const { runner, encodedJITConfig } = (await jitConfig(name)) as { runner: { id: number }; encodedJITConfig: string }
  const pod = await callApi('POST', '/pods', buildPod(set, name, String(runner.id)))
  const { uid } = (pod as { metadata: { uid: string } }).metadata
  await callApi('POST', '/secrets', buildSecret(set, name, uid, { credential: encodedJITConfig }))
  made.push({ name, uid })
}

async function remove({ name, uid }: Made): Promise<void> {
  const deletion = { apiVersion: 'v1', kind: 'DeleteOptions' }
  await callApi('DELETE', `/secrets/${name}`, deletion)
  await callApi('DELETE', `/pods/${name}`, { ...deletion, preconditions: { uid } })
}

/** Runs the work for each item, `width` at once. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: options.width }, worker))
}

/** Connects to the forge as a listener does, and creates a scale set. Returns the call that registers a runner. */
async function openScaleSet(): Promise<(name: string) => Promise<unknown>> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const post = (url: string, headers: Record<string, string>, body?: object) =>
    callForge('POST', new URL(url), headers, body)
  const org = `${forge.url}/api/v3/orgs/loop/actions/runners/registration-token`
  const { token } = (await post(org, bearer(forge.token))) as { token: string }
  const event = { url: `${forge.url}/loop`, runner_event: 'register' }
  const registration = { authorization: `RemoteAuth ${token}` }
  const admin = (await post(`${forge.url}/api/v3/actions/runner-registration`, registration, event)) as {
    url: string
    token: string
  }
  const sets = `${admin.url.replace(/\/$/, '')}/_apis/runtime/runnerscalesets`
  const name = `loop-${process.pid}`
  const { id } = (await post(`${sets}?api-version=6.0-preview`, bearer(admin.token), { name })) as { id: number }
  const url = new URL(`${sets}/${id}/generatejitconfig?api-version=6.0-preview`)
  return (runner) => callForge('POST', url, bearer(admin.token), { name: runner, workFolder: '_work' })
}

function callForge(method: string, url: URL, headers: Record<string, string>, body?: object): Promise<unknown> {
  const { hostname, port, pathname, search } = url
  const where = { hostname, port, path: pathname + search, agent: forgeAgent }
  return call((given, onResponse) => httpRequest({ ...where, ...given }, onResponse), method, headers, body)
}

function callApi(method: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${options.token}` }
  const where = {
    hostname: api.hostname,
    port: api.port,
    agent: apiAgent,
    path: `/api/v1/namespaces/${set.namespace}${path}`,
  }
  return call((given, onResponse) => httpsRequest({ ...where, ...given }, onResponse), method, headers, body)
}

function call(
  open: (
    given: { readonly method: string; readonly headers: Record<string, string | number> },
    onResponse: (response: IncomingMessage) => void,
  ) => ReturnType<typeof httpRequest>,
  method: string,
  headers: Record<string, string>,
  body: object | undefined,
): Promise<unknown> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    const request = open({ method, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) < 300) resolve(answer === '' ? undefined : JSON.parse(answer))
        else reject(new Error(`${method}: ${response.statusCode} ${answer.slice(0, 300)}`))
      })
    })
    request.on('error', reject).end(text)
  })
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
