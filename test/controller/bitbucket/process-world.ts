// The built controller against an emulated Bitbucket of this process. The containers are stub runners: each is a process that reports its start and its end to the emulator.
import path from 'node:path'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { test } from 'vitest'
import { encoded, openProcessWorld } from '../process-world.ts'

export const consumerSecret = 'consumerSecretThatMustNeverBePrinted'
/** The credential of the commands that look at the account themselves. */
export const accessToken = 'accessTokenThatMustNeverBePrinted'
const bitbucketSecret = { bitbucketOauthClientId: 'key', bitbucketOauthClientSecret: consumerSecret }

/** It needs the environment of the official image, and knows no other way to its registration. */
const stubRunner = `
const { ACCOUNT_UUID, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, RUNNER_UUID, EMULATOR } = process.env
if (!ACCOUNT_UUID || !OAUTH_CLIENT_ID || !OAUTH_CLIENT_SECRET || !RUNNER_UUID) process.exit(3)
const say = (word) => fetch(EMULATOR + '/_emulator/runners/' + RUNNER_UUID.slice(1, -1) + '/' + word, { method: 'POST' })
process.on('SIGTERM', () => say('vanish').finally(() => process.exit(143)))
await say('online')
setInterval(() => {}, 60_000)
`

export type BitbucketProcessWorld = Awaited<ReturnType<typeof openBitbucketProcessWorld>>

/** A test with a world of its own. Such tests wait for Bitbucket's real paces, so those of a file run at once. */
export const worldTest = test.extend<{ readonly world: BitbucketProcessWorld }>({
  // Vitest reads the names of other fixtures from the first argument.
  // biome-ignore lint/correctness/noEmptyPattern: as above
  world: async ({}, use) => {
    const world = await openBitbucketProcessWorld()
    await use(world)
    await world.close()
  },
})

async function openBitbucketProcessWorld({ apiMs = 50, forgeMs = 150 } = {}) {
  const world = await openProcessWorld(apiMs)
  const { clock, random, registry } = world
  let lateMs = 0
  const emulator = createBitbucketEmulator({
    clock: { ...clock, now: () => clock.now() - lateMs },
    random,
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [
      { kind: 'consumer', key: 'key', secret: consumerSecret },
      { kind: 'access-token', token: accessToken },
    ],
    knobs: { latencyMs: forgeMs, noRunner: 'queue', pickUpMs: 2_000 },
  })
  const forge = await emulator.listen(0)
  world.addSecret('bitbucket', bitbucketSecret)
  world.installKind()
  world.tokens.set('operator', 'admin')
  return {
    ...world,
    /** The kubeconfig of an operator, who may do everything. */
    adminKubeconfig: world.writeKubeconfig(path.join(world.own, 'admin'), { token: 'operator' }),
    emulator,
    url: `${forge.origin}/acme`,
    /** Registers a runner that no set owns, some time ago. */
    plant: async (name: string, ageMs: number, labels: readonly string[] = ['linux']) => {
      lateMs = ageMs
      const answer = await fetch(`${forge.origin}/2.0/workspaces/acme/pipelines-config/runners`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, labels }),
      })
      lateMs = 0
      const { uuid } = (await answer.json()) as { readonly uuid: string }
      return uuid.slice(1, -1)
    },
    /** Changes the credential of every set. */
    changeSecret: (secret: string) => {
      const object = registry.get('secrets', 'ci', 'bitbucket')
      const entries = { ...bitbucketSecret, bitbucketOauthClientSecret: secret }
      registry.update('secrets', { ...object, data: encoded(entries) })
    },
    /** Adds a set whose runners have its name as a label. */
    addSet: (name: string, scale: object = { min: 1, max: 4 }) =>
      registry.create('runnersets.dayfly.dev', {
        apiVersion: 'dayfly.dev/v1alpha1',
        kind: 'RunnerSet',
        metadata: { name, namespace: 'ci' },
        spec: {
          bitbucket: { url: `${forge.origin}/acme`, credentials: { secret: 'bitbucket' }, labels: [name] },
          scale,
          template: { spec: { containers: [containerOf(forge.origin)] } },
        },
      }),
    /** Queues a step for the runners of a set. Without a duration, the test ends it. */
    queue: (set: string, durationMs?: number): string =>
      emulator.control.queueSteps([{ repository: 'app', labels: ['self.hosted', set], durationMs }])[0] ?? '',
    close: () =>
      world.close(async () => {
        await forge.close()
        emulator.close()
      }),
  }
}

function containerOf(origin: string): object {
  return {
    name: 'runner',
    image: 'any',
    command: [process.execPath, '--input-type=module', '-e', stubRunner],
    env: [{ name: 'EMULATOR', value: origin }],
  }
}
