// The emulated Bitbucket of the lab, its runners as scripts of containers, and the two calls that Atlassian's autoscaler makes to it.
import type { PlayedContainer, Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { jsonBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { textAt } from '@dayfly/kit/read-json'
import type { Registered } from './bitbucket-template.ts'

const token = 'token-of-the-lab'
const runnersPath = '/2.0/workspaces/acme/pipelines-config/runners'

/** How often a runner looks whether its registration still exists. */
const lookMs = 5_000

export type BitbucketWorld = ReturnType<typeof openBitbucket>

/** The clock is that of the cluster, which exists only after the scripts. */
export function openBitbucket(clock: Clock) {
  const emulator = createBitbucketEmulator({
    clock,
    random: seededRandom(2),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [{ kind: 'access-token', token }],
    knobs: { noRunner: 'queue', pickUpMs: 1_000 },
  })
  const call = async (method: 'POST' | 'DELETE', path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await emulator.transport({ method, path, query: {}, headers, body: jsonBody(body), expect: 'whole' })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status}`)
    return answer.body.kind === 'json' ? answer.body.value : undefined
  }
  const register = async (name: string): Promise<Registered> => {
    const made = await call('POST', runnersPath, { name, labels: ['linux', 'autoscaler.created'] })
    const secret = (field: string) => textAt(made, 'oauth_client', field) ?? ''
    return { uuid: bare(textAt(made, 'uuid') ?? ''), clientId: secret('id'), clientSecret: secret('secret') }
  }
  return {
    emulator,
    register,
    remove: (uuid: string) => call('DELETE', `${runnersPath}/${encodeURIComponent(`{${uuid}}`)}`, {}),
    runner: runnerScript(emulator.control, clock),
  }
}

/** The API and the environment write a UUID in braces. */
function bare(uuid: string): string {
  return uuid.replace(/[{}]/g, '')
}

type Control = ReturnType<typeof createBitbucketEmulator>['control']

/** A runner connects two seconds after its start. It ends with code 0 when its registration is gone, as a real one does. */
function runnerScript(control: Control, clock: Clock): Script {
  const run = async (container: PlayedContainer) => {
    const uuid = bare(container.config.env['RUNNER_UUID'] ?? '')
    const over = new AbortController()
    void container.ended.then(() => {
      over.abort()
      control.stub.vanish(uuid)
    })
    const pass = (ms: number): Promise<Instant> => clock.sleep(ms, over.signal).then(() => clock.now())
    try {
      await pass(2_000)
      control.stub.online(uuid)
      while (control.runners().some((runner) => runner.uuid === uuid)) await pass(lookMs)
      container.end({ exitCode: 0 })
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
  return { play: (container) => void run(container), onTerm: { afterMs: 100, exitCode: 143 } }
}
