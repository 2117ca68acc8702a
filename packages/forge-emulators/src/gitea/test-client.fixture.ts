// A minimal client of the emulated Gitea. It knows paths, one token and the runner protocol; it never retries or decides.
import type { Answer, Method, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { KnobChange } from './config.ts'
import type { EmulatedCredential } from './credentials.ts'
import { createGiteaEmulator, type GiteaEmulator } from './emulator.ts'

export type RegisteredRunner = {
  readonly id: number
  readonly uuid: string
  readonly token: string
}

export type TestServer = {
  readonly clock: VirtualClock
  readonly emulator: GiteaEmulator
  /** Sends a call with the token of the administrator, or with another authorization. */
  rest(method: Method, url: string, body?: unknown, authorization?: string): Promise<Answer>
  /** Calls a method of the runner protocol, as a runner if one is given. */
  rpc(name: string, message?: unknown, runner?: Pick<RegisteredRunner, 'uuid' | 'token'>): Promise<Answer>
  /** Registers a runner of the prefix, for example `/orgs/acme`. */
  register(place: string, name: string, more?: object): Promise<RegisteredRunner>
}

const everyScope: EmulatedCredential = { token: 'admin', user: 'root', scopes: ['all'], isSiteAdmin: true }

export type TestServerOptions = {
  readonly knobs?: KnobChange
  readonly credentials?: readonly EmulatedCredential[]
  readonly deliver?: Transport
}

export function testServer({ knobs, credentials = [], deliver }: TestServerOptions = {}): TestServer {
  const clock = virtualClock()
  const emulator = createGiteaEmulator({
    clock,
    random: seededRandom(1),
    owners: [
      { name: 'acme', kind: 'organization', repositories: ['app', 'site'] },
      { name: 'other', kind: 'organization', repositories: ['tool'] },
      { name: 'joe', kind: 'user', repositories: ['own'] },
    ],
    credentials: [everyScope, ...credentials],
    knobs,
    deliver,
  })
  const send = sender(emulator.transport)
  const rest: TestServer['rest'] = (method, url, body, authorization = 'token admin') =>
    send(method, `/api/v1${url}`, body, authorization ? { authorization } : {})
  const rpc: TestServer['rpc'] = (name, message = {}, runner) => {
    const headers = runner ? { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token } : {}
    return send('POST', `/api/actions/runner.v1.RunnerService/${name}`, message, headers)
  }
  const register: TestServer['register'] = async (place, name, more = {}) => {
    const token = field(await rest('POST', `${place}/actions/runners/registration-token`), 'token')
    const answer = await rpc('Register', { name, token, labels: ['linux'], ephemeral: true, ...more })
    return {
      id: Number(field(answer, 'runner.id')),
      uuid: String(field(answer, 'runner.uuid')),
      token: String(field(answer, 'runner.token')),
    }
  }
  return { clock, emulator, rest, rpc, register }
}

/** Returns how to send a request: an object as JSON, a text as it is, undefined as no body. */
export function sender(transport: Transport) {
  return (method: Method, url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const { pathname, search } = new URL(url, 'http://gitea.test')
    return transport({
      method,
      path: pathname,
      query: {},
      search: search.slice(1),
      headers,
      body:
        body === undefined
          ? { kind: 'none' }
          : typeof body === 'string'
            ? { kind: 'text', text: body }
            : { kind: 'json', value: body },
      expect: 'whole',
    })
  }
}

/** Returns a member of a response's JSON by a dotted path. */
export function field(answer: Answer, path: string): unknown {
  let value: unknown = answer.body.kind === 'json' ? answer.body.value : undefined
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}

/** Returns the members of a list in a response's JSON. */
export function list(answer: Answer, path: string): readonly Record<string, unknown>[] {
  return field(answer, path) as readonly Record<string, unknown>[]
}
