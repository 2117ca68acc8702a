// The emulated Gitea as a world of the forge contract.
import type { KnobChange } from '@dayfly/forge-emulators/gitea/config'
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect } from 'vitest'
import type { ForgeWorld } from '../contract-world.fixture.ts'
import { cuttable, removalRefusals, waitAtMost, waitVirtually } from '../waiting.fixture.ts'
import { giteaPace, type Pace } from './account-state.ts'
import { createGiteaForge } from './gitea.ts'

export type WorldOptions = {
  readonly knobs?: KnobChange
  /** The part of the URL after the server's own address. */
  readonly place?: 'acme' | 'acme/app' | 'ci' | ''
  readonly token?: string
  readonly pace?: Pace
}

/** Real time needs a shorter one than that for a server of others. */
const fast: Pace = { leastMs: 50, busyMs: 50, steadyMs: 100, mostMs: 200, pickUpDelayMs: 300 }

export async function giteaOverHttp(): Promise<ForgeWorld> {
  const clock = systemClock()
  const client = httpClient()
  const world = giteaWorld(clock, waitAtMost(clock, 8_000), { pace: fast })
  const server = await world.emulator.listen(0)
  return world.at(server.origin, client.transport, async () => {
    await server.close()
    await client.close()
  })
}

export async function giteaInProcess(options: WorldOptions): Promise<ForgeWorld> {
  const clock = virtualClock()
  const world = giteaWorld(clock, waitVirtually(clock), options)
  return world.at('http://gitea.test', world.emulator.transport, async () => world.emulator.close())
}

function giteaWorld(clock: Clock, wait: ForgeWorld['wait'], options: WorldOptions) {
  const { token = 'secret', place = 'acme', pace = giteaPace, knobs } = options
  const emulator = createGiteaEmulator({
    clock,
    random: seededRandom(1),
    owners: [
      { name: 'acme', kind: 'organization', repositories: ['app'] },
      { name: 'ci', kind: 'user', repositories: ['app'] },
    ],
    credentials: [{ token: 'secret', user: 'ci', scopes: ['all'], isSiteAdmin: true }],
    knobs: { pickUpMs: 0, ...knobs },
  })
  const { control } = emulator
  const at = (origin: string, transport: Transport, end: () => Promise<void>): ForgeWorld => {
    const { through, reachable } = cuttable(transport)
    return {
      set: { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 },
      connect: () =>
        createGiteaForge({
          url: [`${origin}${knobs?.rootPath ?? ''}`, place].filter(Boolean).join('/'),
          token,
          transport: through,
          clock,
          random: seededRandom(2),
          userAgent: 'dayfly/0.0.0',
          pace,
        }),
      wait,
      queueJobs: (count) => {
        const repository = place === 'ci' ? 'ci/app' : 'acme/app'
        control.queueJobs(Array.from({ length: count }, () => ({ repository, labels: ['linux'] })))
      },
      startRunner: async (name, secret) => {
        const { uuid } = JSON.parse(secret.reveal()['runner'] ?? '')
        expect(control.runner(name)?.uuid).toBe(uuid)
        expect(control.stub.online(name)).toBe(true)
      },
      startJob: (name) =>
        wait(
          new Promise<void>((resolve) => {
            if (control.runner(name)?.job !== undefined) resolve()
            else control.onJob(({ kind, runner }) => kind === 'started' && runner === name && resolve())
          }),
        ),
      finishJob: async (name) => {
        expect(control.stub.finish(name, 'success')).toBe(true)
      },
      reachable,
      refuseAcknowledgement: () => {},
      refuseCredential: () => {
        const body = { message: 'invalid username, password or token' }
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
