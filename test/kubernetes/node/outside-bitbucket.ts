// An emulated Bitbucket that pods reach at an address outside their network.
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { jsonBody } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { httpServer } from '@dayfly/kit/http-server'
import { randomName } from '@dayfly/kit/ids'
import { outsideAddress } from '../../../scripts/node/addresses.ts'
import { clock, random } from '../client-place.ts'

export type OutsideBitbucket = Awaited<ReturnType<typeof openBitbucket>>

/** The key of the OAuth consumer, whose secret is the token. */
export const consumerKey = 'key'
const runnersPath = '/2.0/workspaces/acme/pipelines-config/runners'

/** @param latencyMs the latency of every request */
export async function openBitbucket(latencyMs: number) {
  const token = randomName(random, 40)
  const emulator = createBitbucketEmulator({
    clock,
    random,
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [
      { kind: 'access-token', token },
      { kind: 'consumer', key: consumerKey, secret: token },
    ],
    // The steps of a burst wait for the next runners, as in the step queue of a workspace.
    knobs: { latencyMs, pickUpMs: 1_000, noRunner: 'queue' },
  })
  const server = await httpServer(emulator.handler, { host: outsideAddress })
  const client = httpClient()
  const call = async (method: 'POST' | 'DELETE', path: string, body: object = {}) => {
    const headers = { authorization: `Bearer ${token}` }
    const request = { origin: server.origin, method, path, query: {}, headers, body: jsonBody(body), expect: 'whole' }
    const answer = await client.transport({ ...request, expect: 'whole' })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status}`)
    return answer.body.kind === 'json' ? (answer.body.value as Readonly<Record<string, unknown>>) : {}
  }
  return {
    origin: server.origin,
    token,
    control: emulator.control,
    /** Serves the same forge at a loopback address: a command sends its token in clear text to no other. */
    nearby: async () => {
      const near = await httpServer(emulator.handler)
      return { url: `${near.origin}/acme`, close: () => near.close() }
    },
    /** Registers a runner as the official autoscaler does. Resolves with its UUID, and with the environment of its container. */
    register: async (name: string, labels: readonly string[] = ['linux', 'docker']) => {
      const created = await call('POST', runnersPath, { name, labels: [...labels, 'autoscaler.created'] })
      const { id, secret } = created['oauth_client'] as { readonly id: string; readonly secret: string }
      const uuid = String(created['uuid'])
      // The small runner wants a UUID of its account, and asks nothing of it.
      const env = { RUNNER_UUID: uuid, OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret, ACCOUNT_UUID: uuid }
      return { uuid, env: { ...env, DAYFLY_EMULATOR: server.origin } }
    },
    /** Removes a registration, as the official cleaner does. */
    remove: (uuid: string) => call('DELETE', `${runnersPath}/${encodeURIComponent(uuid)}`),
    close: async () => {
      emulator.close()
      await client.close()
      await server.close()
    },
  }
}

/** Makes an imported RunnerSet name the emulated Bitbucket. The node cannot reach the real one. */
export function atForge(text: string, { origin }: Pick<OutsideBitbucket, 'origin'>): string {
  return text.replace(/^( *)url: https:\/\/bitbucket\.org(.*)$/gm, `$1url: ${origin}$2\n$1plainHttp: true`)
}
