// The demo's GitHub: the emulator, and one set whose label sends every job to it.
import type { Control } from '../../../emulator/github/control.ts'
import { createGitHubEmulator } from '../../../emulator/github/emulator.ts'
import type { Forge } from '../../../forge/forge.ts'
import { createGitHubForge } from '../../../forge/github/github.ts'
import { httpClient } from '../../../lib/http-client.ts'
import { randomName } from '../../../lib/ids.ts'
import { PortError } from '../../../model/port-error.ts'
import type { DemoForge, DemoForgeOptions } from '../forge.ts'

export interface GitHubDemo extends DemoForge {
  readonly control: Control
  readonly token: string
  /** The label of the demo's set. Its runners take the jobs with this label. */
  readonly label: string
}

/** The forge gives up a silent runner after this time. GitHub waits 10 minutes. Runners report at least once a minute. */
const jobLeaseS = 90
const label = 'demo'
const secretName = 'github'

export async function openGitHub({ clock, random, userAgent, onAnomaly }: DemoForgeOptions): Promise<GitHubDemo> {
  const token = `ghp_${randomName(random, 36)}`
  const emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs: { jobLeaseS } })
  const server = await emulator.listen(0)
  const url = `${server.origin}/demo`
  const client = httpClient()
  const accounts = new Map<string, Forge>()
  const forgeFor: DemoForge['forgeFor'] = (source, { credential }) => {
    if (source.kind !== 'github' || !source.url.startsWith(`${server.origin}/`)) {
      throw new PortError('github', 'bad-config', `the demo can use only its own forge ${url}, not ${source.url}`)
    }
    const key = JSON.stringify([source.url, credential['github_token']])
    const account =
      accounts.get(key) ??
      createGitHubForge({
        url: source.url,
        credential: { kind: 'token', token: credential['github_token'] ?? '' },
        transport: client.transport,
        clock,
        random,
        userAgent,
        log: onAnomaly,
      })
    accounts.set(key, account)
    return account
  }
  return {
    control: emulator.control,
    url,
    token,
    label,
    secret: { name: secretName, entries: { github_token: token } },
    sets: [{ name: label, min: 0, spec: { github: { url, credentials: { secret: secretName } } } }],
    forgeFor,
    registrations: () => emulator.control.registrations().map(({ name }) => name),
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}
