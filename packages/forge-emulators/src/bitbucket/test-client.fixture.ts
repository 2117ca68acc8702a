// A minimal client of the emulated Bitbucket. It knows paths and one credential; it never retries or decides.
import type { Answer, Method, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { KnobChange } from './config.ts'
import type { EmulatedCredential } from './credentials.ts'
import { type BitbucketEmulator, createBitbucketEmulator } from './emulator.ts'

const consumer: EmulatedCredential = { kind: 'consumer', key: 'key', secret: 'secret', user: 'joe' }
const accessToken: EmulatedCredential = { kind: 'access-token', token: 'wat', user: 'joe' }
export const apiToken: EmulatedCredential = { kind: 'api-token', email: 'joe@example.com', token: 'at', user: 'ann' }
const reader: EmulatedCredential = { kind: 'access-token', token: 'reader', scope: 'read' }
const foreign: EmulatedCredential = { kind: 'access-token', token: 'foreign', workspace: 'other' }

export type TestWorkspace = {
  readonly clock: VirtualClock
  readonly emulator: BitbucketEmulator
  /** Sends a call with the access token, or with another authorization. */
  call(method: Method, url: string, body?: unknown, authorization?: string): Promise<Answer>
  /** Registers a runner of the workspace and returns its UUID in braces. */
  register(name: string, labels?: readonly string[]): Promise<string>
}

export const runnersUrl = '/2.0/workspaces/acme/pipelines-config/runners'

/** @param driftMs how far the emulator's clock moves on with each reading */
export function testWorkspace(knobs: KnobChange = {}, driftMs = 0): TestWorkspace {
  const clock = virtualClock()
  let drift = 0
  const now = () => {
    drift += driftMs
    return clock.now() + drift
  }
  const emulator = createBitbucketEmulator({
    clock: { ...clock, now },
    random: seededRandom(1),
    workspaces: [
      { slug: 'acme', repositories: ['app', 'site'] },
      { slug: 'other', repositories: [] },
    ],
    credentials: [consumer, accessToken, apiToken, reader, foreign],
    knobs,
  })
  const call = callWith(emulator.transport)
  return {
    clock,
    emulator,
    call,
    register: async (name, labels = ['linux']) =>
      String(field(await call('POST', runnersUrl, { name, labels }), 'uuid')),
  }
}

function callWith(transport: Transport): TestWorkspace['call'] {
  return (method, url, body, authorization = 'Bearer wat') => {
    const { pathname, searchParams } = new URL(url, 'http://bitbucket.test')
    return transport({
      method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { authorization },
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

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

/** Returns a member of a response's JSON by a dotted path. */
export function field(answer: Answer, path: string): unknown {
  let value: unknown = answer.body.kind === 'json' ? answer.body.value : undefined
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}
