// A minimal client for the emulator's tests. It knows paths and tokens; it never retries or decides.
import type { Answer, Method, Transport } from '@dayfly/kit/http'

export type TestClient = {
  /** Sends an admin call, or a call with another token. `path` is relative to the tenant. */
  admin(method: Method, path: string, body?: unknown, token?: string): Promise<Answer>
  /** Creates a scale set whose label is its name, and returns its id. */
  scaleSet(name: string): Promise<number>
  session(set: number): Promise<Answer>
  poll(queue: Queue, lastMessageId?: number, capacity?: number): Promise<Answer>
  acknowledge(queue: Queue, id: number): Promise<Answer>
  readonly adminToken: string
}

export type Queue = { readonly url: string; readonly token: string }

/** Connects as an admin of the organization. */
export async function connectClient(transport: Transport, org = 'my-org', token = 'pat'): Promise<TestClient> {
  const send = (method: Method, url: string, authorization: string, more: Partial<Sent> = {}) => {
    const { origin, pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    const query = Object.fromEntries(searchParams)
    const body = more.body === undefined ? ({ kind: 'none' } as const) : ({ kind: 'json', value: more.body } as const)
    const headers = { authorization, ...more.headers }
    const at = url.startsWith('http') ? { origin } : {}
    return transport({ method, path: pathname, query, headers, body, expect: 'whole', ...at })
  }
  const issued = await send('POST', `/api/v3/orgs/${org}/actions/runners/registration-token`, `Bearer ${token}`)
  const connection = await send('POST', '/api/v3/actions/runner-registration', `RemoteAuth ${field(issued, 'token')}`, {
    body: { url: `https://github.test/${org}`, runner_event: 'register' },
  })
  if (connection.status !== 201) throw new Error(`no admin connection: ${issued.status}, then ${connection.status}`)
  const base = String(field(connection, 'url'))
  const adminToken = String(field(connection, 'token'))
  const admin: TestClient['admin'] = (method, path, body, bearer = adminToken) =>
    send(method, `${base}${path}`, `Bearer ${bearer}`, { body })
  return {
    admin,
    adminToken,
    scaleSet: async (name) => {
      const labels = [{ name, type: 'System' }]
      const body = { name, runnerGroupId: 1, labels, RunnerSetting: { disableUpdate: true } }
      return Number(field(await admin('POST', '_apis/runtime/runnerscalesets?api-version=6.0-preview', body), 'id'))
    },
    session: (set) => admin('POST', `_apis/runtime/runnerscalesets/${set}/sessions`, { ownerName: 'test-client' }),
    poll: (queue, lastMessageId, capacity = 10) => {
      const url = new URL(queue.url)
      if (lastMessageId) url.searchParams.set('lastMessageId', String(lastMessageId))
      const headers = { 'x-scalesetmaxcapacity': String(capacity) }
      return send('GET', url.href, `Bearer ${queue.token}`, { headers })
    },
    acknowledge: (queue, id) => {
      const url = new URL(queue.url)
      url.pathname += `/${id}`
      return send('DELETE', url.href, `Bearer ${queue.token}`)
    },
  }
}

type Sent = { readonly body: unknown; readonly headers: Readonly<Record<string, string>> }

/** Returns a member of a response's JSON by a dotted path. */
export function field(answer: Answer, path: string): unknown {
  let value: unknown = answer.body.kind === 'json' ? answer.body.value : undefined
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}

export function queueOf(session: Answer): Queue {
  return { url: String(field(session, 'messageQueueUrl')), token: String(field(session, 'messageQueueAccessToken')) }
}

/** Returns the job messages of an envelope. */
export function jobsOf(answer: Answer): readonly Readonly<Record<string, unknown>>[] {
  return JSON.parse(String(field(answer, 'body')))
}
