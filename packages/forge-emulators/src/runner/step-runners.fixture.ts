// An emulated Bitbucket over HTTP with real runner processes, for tests of steps and pipelines.
import type { Method } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import type { KnobChange } from '../bitbucket/config.ts'
import { type BitbucketEmulator, createBitbucketEmulator } from '../bitbucket/emulator.ts'
import { type RunnerProgram, runnerProgram } from './runner-program.fixture.ts'

type Started = ReturnType<RunnerProgram['start']>

export interface StepRunners {
  readonly emulator: BitbucketEmulator
  readonly origin: string
  readonly workspace: string
  /** Sends a call with the access token, and returns its status. */
  call(method: Method, path: string, body?: unknown): Promise<number>
  /** Registers a runner. Its UUID is in braces. */
  register(name: string, labels?: readonly string[]): Promise<Registered>
  /** Starts a process for a registration. */
  start(registered: Registered, env?: Readonly<Record<string, string>>): Started
  /** Registers a runner, starts its process and waits until it is online. */
  online(name: string, labels?: readonly string[]): Promise<Started & Registered>
  /** Resolves when the condition holds; rejects after 15 s. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

export type Registered = {
  readonly name: string
  readonly uuid: string
  readonly env: Readonly<Record<string, string>>
}

export const runnersPath = '/2.0/workspaces/acme/pipelines-config/runners'

export async function stepRunners(knobs: KnobChange = {}): Promise<StepRunners> {
  const [clock, program, client] = [systemClock(), await runnerProgram(), httpClient()]
  const emulator = createBitbucketEmulator({
    clock,
    random: seededRandom(1),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [{ kind: 'access-token', token: 'wat' }],
    knobs: { pickUpMs: 100, ...knobs },
  })
  const server = await emulator.listen(0)
  const started: Started[] = []
  const send = (method: Method, path: string, body?: unknown) =>
    client.transport({
      origin: server.origin,
      method,
      path,
      query: {},
      headers: { authorization: 'Bearer wat' },
      body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body },
      expect: 'whole',
    })
  const workspace = await send('GET', '/2.0/workspaces/acme')
  const account = String(jsonOf(workspace)['uuid'])
  const until: StepRunners['until'] = async (condition) => {
    for (const end = clock.now() + 15_000; !condition(); await clock.sleep(10)) {
      if (clock.now() > end) throw new Error('the condition did not hold within 15 s')
    }
  }
  const register: StepRunners['register'] = async (name, labels = ['linux']) => {
    const runner = jsonOf(await send('POST', runnersPath, { name, labels }))
    const oauth = Object(runner['oauth_client'])
    const uuid = String(runner['uuid'])
    const client = { OAUTH_CLIENT_ID: String(oauth.id), OAUTH_CLIENT_SECRET: String(oauth.secret) }
    return { name, uuid, env: { ...client, ACCOUNT_UUID: account, RUNNER_UUID: uuid, DAYFLY_EMULATOR: server.origin } }
  }
  const start: StepRunners['start'] = ({ env }, more = {}) => {
    const runner = program.start(undefined, { ...env, ...more })
    started.push(runner)
    return runner
  }
  return {
    emulator,
    origin: server.origin,
    workspace: account,
    call: async (method, path, body) => (await send(method, path, body)).status,
    register,
    start,
    online: async (name, labels) => {
      const registered = await register(name, labels)
      const runner = start(registered)
      await until(() => emulator.control.runners().find((each) => each.name === name)?.status === 'ONLINE')
      return { ...runner, ...registered }
    },
    until,
    close: async () => {
      for (const runner of started) runner.kill('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      await Promise.all([client.close(), server.close()])
      await program.remove()
    },
  }
}

function jsonOf({ body }: { readonly body: object }): Readonly<Record<string, unknown>> {
  return Object('value' in body ? body.value : undefined)
}
