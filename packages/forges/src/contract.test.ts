// Runs the contract for each forge against its emulator: over HTTP, and in process on virtual time with latency.
import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import {
  createGitHubEmulator,
  type GitHubEmulator,
  type GitHubEmulatorOptions,
} from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock } from '@dayfly/kit/clock'
import { forwardProxy } from '@dayfly/kit/forward-proxy.fixture'
import { isFull } from '@dayfly/kit/full.fixture'
import { noBody, type Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { outboundClient } from '@dayfly/kit/outbound'
import { configuredProxy } from '@dayfly/kit/proxy'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { trustStore } from '@dayfly/kit/trust'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { bitbucketInProcess, bitbucketOverHttp } from './bitbucket/world.fixture.ts'
import { forgeContract } from './contract.fixture.ts'
import type { ForgeWorld } from './contract-world.fixture.ts'
import { giteaInProcess, giteaOverHttp } from './gitea/world.fixture.ts'
import { type GitHubCredential, readCredential } from './github/credentials/credential.ts'
import { createGitHubForge } from './github/github.ts'
import { cuttable, removalRefusals, waitAtMost, waitVirtually } from './waiting.fixture.ts'

const worlds: ForgeWorld[] = []
/** Created once: an RSA key takes time. */
let app: TestApp | undefined
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end()
})

async function githubOverHttp(): Promise<ForgeWorld> {
  const clock = systemClock()
  const client = httpClient()
  const world = githubWorld(clock, waitAtMost(clock, 8_000))
  const server = await world.emulator.listen(0)
  return world.at(server.origin, client.transport, async () => {
    await server.close()
    await client.close()
  })
}

/** An Enterprise Server with a private certificate, behind a proxy that asks for authentication, for a set with an App. */
async function appThroughProxy(): Promise<ForgeWorld> {
  const clock = systemClock()
  app ??= testApp(1)
  const tls = selfSignedCertificate(clock.now())
  const credential = { username: 'joe', password: 's3cret' }
  const proxy = await forwardProxy({ credential, latencyMs: 50 })
  const trust = trustStore(tls.cert)
  const client = outboundClient({
    proxy: configuredProxy({ url: proxy.url, ...credential, noProxy: [] }),
    trust,
    connections: 16,
  })
  const knobs = { servicePath: '/_services/pipelines', latencyMs: 50 }
  const world = githubWorld(clock, waitAtMost(clock, 15_000), knobs, { apps: [app.app], tls })
  const server = await world.emulator.listen(0)
  const end = async () => {
    await client.close()
    await proxy.close()
    await server.close()
    expect(proxy.passed.length).toBeGreaterThan(0)
  }
  return world.at(`https://localhost:${server.port}`, client.transport, end, readCredential(app.entries(), 'github'))
}

async function githubInProcess(knobs?: KnobChange): Promise<ForgeWorld> {
  const clock = virtualClock()
  const wait = waitVirtually(clock)
  const world = githubWorld(clock, wait, knobs)
  return world.at('http://github.test', world.emulator.transport, async () => world.emulator.close())
}

function githubWorld(
  clock: Clock,
  wait: ForgeWorld['wait'],
  knobs: KnobChange = {},
  more: Pick<GitHubEmulatorOptions, 'apps' | 'tls'> = {},
) {
  const all = { longPollMs: 300, ...knobs }
  const emulator = createGitHubEmulator({ clock, random: seededRandom(1), knobs: all, ...more })
  const { control } = emulator
  const token: GitHubCredential = { kind: 'token', token: 'pat' }
  const at = (
    origin: string,
    transport: Transport,
    end: () => Promise<void>,
    credential: GitHubCredential = token,
  ): ForgeWorld => {
    const { through, reachable } = cuttable(transport)
    return {
      set: { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 },
      connect: () =>
        createGitHubForge({
          url: `${origin}/acme`,
          credential,
          transport: through,
          clock,
          random: seededRandom(2),
          userAgent: 'dayfly/0.0.0',
        }),
      wait,
      queueJobs: (count) => {
        const job = { labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }
        control.queueJobs(Array.from({ length: count }, () => job))
      },
      startRunner: async (name) => expect(control.stub.online(name)).toBe('online'),
      startJob: async (name) => {
        while (!(await wait(control.stub.job(name)))) expect(control.registrations()).not.toEqual([])
        expect(control.stub.start(name)).toBe('started')
      },
      finishJob: async (name) => {
        const report = { conclusion: 'success', outputs: {}, steps: [], note: undefined } as const
        expect(control.stub.finish(name, report)).toBe('finished')
      },
      reachable,
      refuseAcknowledgement: () => {
        const match = { method: 'DELETE', pathRegex: '/scalesets/message/' }
        control.fault({ match, action: { kind: 'answer', status: 400, headers: {}, text: 'not now' } })
      },
      refuseCredential: () => {
        const match = { method: 'POST', pathRegex: 'registration-token$' }
        control.fault({ match, times: 99, action: { kind: 'answer', status: 401, headers: {}, body: {} } })
      },
      addGroup: (name) => void control.group('org:acme', name),
      refuseSettings: () => {
        const match = { method: 'PATCH', pathRegex: '/runnerscalesets/\\d+$' }
        control.fault({ match, times: 99, action: { kind: 'answer', status: 403, headers: {}, body: {} } })
      },
      refuseRemovals: removalRefusals(control, '/agents/'),
      settings: () => readSettings(emulator),
      records: () => {
        const left = (path: RegExp) =>
          control.requests().reduce((count, { method, path: at, status }) => {
            if (!path.test(at) || typeof status !== 'number' || status >= 300) return count
            return count + (method === 'POST' ? 1 : method === 'DELETE' ? -1 : 0)
          }, 0)
        return {
          sessions: left(/\/sessions(\/[\w-]+)?$/),
          sets: left(/\/runnerscalesets(\/\d+)?$/),
          registrations: control.registrations().length,
        }
      },
      end,
    }
  }
  return { emulator, at }
}

const stateSchema = z.object({
  scopes: z.array(z.object({ groups: z.array(z.object({ id: z.number(), name: z.string() })) })),
  scaleSets: z.array(z.object({ groupId: z.number(), labels: z.array(z.string()) })),
})

async function readSettings({ handler }: GitHubEmulator): ReturnType<ForgeWorld['settings']> {
  const request = { method: 'GET', path: '/_emulator/state', query: {}, headers: {}, body: noBody } as const
  const { body } = await handler({ ...request, expect: 'whole' })
  const { scopes, scaleSets } = stateSchema.parse(body.kind === 'json' ? body.value : undefined)
  const groups = scopes.flatMap((scope) => scope.groups)
  const [set] = scaleSets
  return { labels: set?.labels ?? [], group: groups.find(({ id }) => id === set?.groupId)?.name }
}

/** The habits of an older server, all at once. */
const older: KnobChange = {
  mode: 'legacy',
  keyCase: 'camel',
  bom: true,
  zeroTimes: 'null',
  labelTypeCase: 'as-sent',
  createStatus: 201,
  unknownMessage: 404,
  revokeOnRefresh: true,
}

const members = [
  ['github over HTTP', githubOverHttp],
  ['github in process', () => githubInProcess({ latencyMs: 50 })],
  ['an App over TLS through a proxy', appThroughProxy],
  ['an older github in process', () => githubInProcess({ ...older, latencyMs: 300 })],
  ['bitbucket over HTTP', () => bitbucketOverHttp()],
  ['bitbucket in process', () => bitbucketInProcess({ knobs: { latencyMs: 50 } })],
  [
    'a repository with an OAuth consumer, pages and only the public API',
    () =>
      bitbucketInProcess({
        repository: 'app',
        credential: { kind: 'consumer', key: 'key', secret: 'secret' },
        knobs: {
          latencyMs: 300,
          pageMax: 1,
          internalApi: false,
          publicState: 'accepted',
          stepNull: true,
          stepShown: 'assigned',
          createStatus: 201,
          tokenTtlS: 120,
        },
      }),
  ],
  ['gitea over HTTP', () => giteaOverHttp()],
  ['gitea in process', () => giteaInProcess({ knobs: { latencyMs: 50 } })],
  [
    'a repository of a slow Gitea below a path, with short pages',
    () =>
      giteaInProcess({
        place: 'acme/app',
        knobs: { latencyMs: 300, pageMax: 1, rootPath: '/git', dialect: 'gitea-1.27', pickUpMs: 2_000 },
      }),
  ],
  ['the runners of a user of Gitea', () => giteaInProcess({ place: 'ci', knobs: { latencyMs: 50 } })],
] as const

/** Worlds on real sockets, which wait in real time. The others show the same decisions on virtual time. */
const onSockets: ReadonlySet<string> = new Set([
  'github over HTTP',
  'an App over TLS through a proxy',
  'bitbucket over HTTP',
  'gitea over HTTP',
])
/** The cases that show what sockets add: polls, registrations, messages and a clean end. */
const shownBySockets: ReadonlySet<string> = new Set([
  'demand follows the jobs that are queued and finished',
  'a registration is listed from register to deregister',
  'a job has one event when it starts and one when it ends',
  'after a pause the next process continues at once',
  'removing a set leaves no record',
])

for (const [member, create] of members) {
  const cases = forgeContract.filter(({ name }) => isFull || !onSockets.has(member) || shownBySockets.has(name))
  test.each(cases)(`${member}: $name`, async ({ run }) => {
    const world = await create()
    worlds.push(world)
    await run(world)
  })
}
