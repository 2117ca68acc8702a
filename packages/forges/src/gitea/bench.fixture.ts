// The emulated server as the bench of the numbered cases, on virtual time, and what only it can play.
import type { KnobChange } from '@dayfly/forge-emulators/gitea/config'
import type { EmulatedCredential } from '@dayfly/forge-emulators/gitea/credentials'
import { createGiteaEmulator, type GiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { jsonBody, type Method, noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { Forge, ForgeSet } from '@dayfly/runner-set/forge/forge'
import { readForgeEvents } from '../event-reader.fixture.ts'
import { waitVirtually } from '../waiting.fixture.ts'
import type { GiteaBench } from './conformance-bench.fixture.ts'
import { createGiteaForge } from './gitea.ts'

export type EmulatedBench = GiteaBench & {
  readonly emulator: GiteaEmulator
  readonly clock: VirtualClock
  /** Connects an account at the repository, or at another place, with another token. */
  connect(more?: { readonly token?: string; readonly place?: string; readonly aheadMs?: number }): Forge
  /** Returns how many requests with this method and path were sent. */
  sent(method: string, path: RegExp): number
  readonly set: ForgeSet
  readonly stop: AbortController
}

type Options = {
  readonly knobs?: KnobChange
  readonly credentials?: readonly EmulatedCredential[]
}

const owner = { token: 'secret', user: 'ci', scopes: ['all'], isSiteAdmin: true } as const
const member = {
  ...{ token: 'member', user: 'ann', scopes: ['write:organization', 'write:repository', 'read:user'] },
  roles: { acme: 'member' },
} as const
/** The timeouts of a server that soon gives up. */
const shortTimeoutMs = 3_000
export const shortTimeouts = { zombieMs: shortTimeoutMs, abandonedMs: shortTimeoutMs } as const

export function giteaBench({ knobs, credentials = [] }: Options = {}): EmulatedBench {
  const clock = virtualClock()
  const wait = waitVirtually(clock)
  const emulator = createGiteaEmulator({
    clock,
    random: seededRandom(1),
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: [owner, member, ...credentials],
    knobs: { latencyMs: 50, ...knobs },
  })
  const stop = new AbortController()
  const set: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 100 }
  const connect: EmulatedBench['connect'] = ({ token = owner.token, place = 'acme/app', aheadMs = 0 } = {}) =>
    createGiteaForge({
      ...{ url: `http://gitea.test/${place}`, token, transport: emulator.transport },
      clock: { ...clock, now: () => clock.now() + aheadMs },
      ...{ random: seededRandom(2), userAgent: 'dayfly/0.0.0' },
    })
  const account = connect()
  const call = async (method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>) => {
    const request = { method: method as Method, path, query: {}, headers, expect: 'whole' } as const
    const answer = await wait(emulator.transport({ ...request, body: body === undefined ? noBody : jsonBody(body) }))
    return { status: answer.status, value: answer.body.kind === 'json' ? answer.body.value : undefined }
  }
  const level = '/repos/acme/app'
  const api: GiteaBench['api'] = (method, path, body) =>
    call(method, `/api/v1${path}`, body, { authorization: `token ${owner.token}` })
  const rest: GiteaBench['rest'] = (method, path, body) => api(method, `${level}${path}`, body)
  let workflows = 0
  return {
    ...{ emulator, clock, wait, connect, set, stop, level, api, rest },
    open: async (more, aheadMs) => {
      const at = aheadMs === undefined ? account : connect({ aheadMs })
      const link = await wait(at.open({ ...set, ...more }, undefined, stop.signal))
      const reader = readForgeEvents(link)
      await wait(reader.find('demand'))
      return { link, reader }
    },
    start: async (jobs) => {
      const file = `w${++workflows}.yml`
      const content = Buffer.from(`on: workflow_dispatch\njobs:\n${jobs}`).toString('base64')
      await rest('POST', `/contents/.gitea/workflows/${file}`, { content, message: 'm', branch: 'main' })
      await rest('POST', `/actions/workflows/${file}/dispatches`, { ref: 'main' })
    },
    rpc: async (name, message, runner) => {
      const headers = runner ? { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token } : {}
      const { value } = await call('POST', `/api/actions/runner.v1.RunnerService/${name}`, message, {
        'content-type': 'application/json',
        ...headers,
      })
      return value as Readonly<Record<string, unknown>>
    },
    cancel: async (id) => void emulator.control.cancelJob(id),
    connectMember: async () => connect({ token: member.token, place: 'acme' }),
    resetToken: async () => emulator.control.resetRegistrationToken('acme/app'),
    archive: async () => emulator.control.archive('acme/app'),
    crash: async (until) => {
      const { control } = emulator
      const action = { kind: 'reset', when: 'before' } as const
      const fault = control.fault({ match: { pathRegex: '.' }, times: Number.MAX_SAFE_INTEGER, action })
      await until()
      control.removeFault(fault)
      // The server runs them at each start.
      for (const task of ['stop_zombie_tasks', 'stop_endless_tasks', 'cancel_abandoned_jobs'] as const)
        control.runCron(task)
    },
    outlastTimeouts: () => clock.advance(shortTimeoutMs + 1_000),
    sent: (method, path) =>
      emulator.control.requests().filter((one) => one.method === method && path.test(one.path)).length,
  }
}
