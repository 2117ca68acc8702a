// The emulated Bitbucket as a world of the forge contract.
import type { KnobChange } from '@dayfly/forge-emulators/bitbucket/config'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect } from 'vitest'
import type { ForgeWorld } from '../contract-world.fixture.ts'
import { cuttable, removalRefusals, waitAtMost, waitVirtually } from '../waiting.fixture.ts'
import { bitbucketPace, type Pace } from './account-state.ts'
import { createBitbucketForge } from './bitbucket.ts'
import type { BitbucketCredential } from './credential.ts'

export type WorldOptions = {
  readonly knobs?: KnobChange
  readonly repository?: string
  readonly credential?: BitbucketCredential
  readonly pace?: Pace
}

const token: BitbucketCredential = { kind: 'access-token', token: 'wat' }

/** Real time needs a shorter one than Bitbucket's. */
const fast: Pace = { poll: { leastMs: 50, mostMs: 200 }, pickUpDelayMs: 300 }

export async function bitbucketOverHttp(): Promise<ForgeWorld> {
  const clock = systemClock()
  const client = httpClient()
  const world = bitbucketWorld(clock, waitAtMost(clock, 8_000), { knobs: { pickUpMs: 200 }, pace: fast })
  const server = await world.emulator.listen(0)
  return world.at(server.origin, client.transport, async () => {
    await server.close()
    await client.close()
  })
}

export async function bitbucketInProcess(options: WorldOptions): Promise<ForgeWorld> {
  const clock = virtualClock()
  const world = bitbucketWorld(clock, waitVirtually(clock), options)
  return world.at('http://bitbucket.test', world.emulator.transport, async () => world.emulator.close())
}

function bitbucketWorld(clock: Clock, wait: ForgeWorld['wait'], options: WorldOptions) {
  const { credential = token, repository, pace = bitbucketPace, knobs } = options
  const emulator = createBitbucketEmulator({
    clock,
    random: seededRandom(1),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [
      { kind: 'access-token', token: 'wat' },
      { kind: 'consumer', key: 'key', secret: 'secret' },
    ],
    knobs: { noRunner: 'queue', ...knobs },
  })
  const { control } = emulator
  const at = (origin: string, transport: Transport, end: () => Promise<void>): ForgeWorld => {
    const { through, reachable } = cuttable(transport)
    return {
      set: { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 },
      connect: () =>
        createBitbucketForge({
          url: repository === undefined ? `${origin}/acme` : `${origin}/acme/${repository}`,
          credential,
          transport: through,
          clock,
          random: seededRandom(2),
          userAgent: 'dayfly/0.0.0',
          pace,
        }),
      wait,
      queueJobs: (count) => {
        control.queueSteps(Array.from({ length: count }, () => ({ repository: 'app', labels: ['linux'] })))
      },
      startRunner: async (name, secret) => {
        const { RUNNER_UUID: id } = secret.reveal()
        expect(control.runners().map(({ uuid, name }) => [name, `{${uuid}}`])).toContainEqual([name, id])
        expect(control.stub.online(name)).toBe(true)
      },
      startJob: (name) =>
        wait(
          new Promise<void>((resolve) => {
            if (control.runners().some((runner) => runner.name === name && runner.steps > 0)) resolve()
            else control.onStep(({ kind, runner }) => kind === 'started' && runner === name && resolve())
          }),
        ),
      finishJob: async (name) => {
        expect(control.stub.finish(name, 'SUCCESSFUL')).toBe(true)
      },
      reachable,
      refuseAcknowledgement: () => {},
      refuseCredential: () => {
        const body = { type: 'error', error: { message: 'Token is invalid.' } }
        const action = { kind: 'answer', status: 401, headers: {}, body } as const
        control.fault({ match: { pathRegex: '.' }, times: 99, action })
      },
      addGroup: () => {},
      refuseSettings: () => {},
      refuseRemovals: removalRefusals(control, '/runners/'),
      settings: async () => ({ labels: control.runners().at(-1)?.labels ?? [], group: undefined }),
      records: () => ({ sessions: 0, sets: 0, registrations: control.runners().length }),
      end,
    }
  }
  return { emulator, at }
}
