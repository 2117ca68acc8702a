// The demo's GitHub: the emulator, and one set whose label sends every job to it.
import type { Control } from '@dayfly/forge-emulators/github/control'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { createGitHubForge } from '@dayfly/forges/github/github'
import { httpClient } from '@dayfly/kit/http-client'
import { randomName } from '@dayfly/kit/ids'
import { sharedAccounts } from '../accounts.ts'
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
const tokenKey = 'github_token'

export async function openGitHub({ clock, random, userAgent, onAnomaly }: DemoForgeOptions): Promise<GitHubDemo> {
  const token = `ghp_${randomName(random, 36)}`
  const emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs: { jobLeaseS } })
  const server = await emulator.listen(0)
  const url = `${server.origin}/demo`
  const client = httpClient()
  const forgeFor = sharedAccounts({ kind: 'github', origin: server.origin, url, tokenKey }, (account, own) =>
    createGitHubForge({
      url: account,
      credential: { kind: 'token', token: own },
      transport: client.transport,
      clock,
      random,
      userAgent,
      log: onAnomaly,
    }),
  )
  return {
    control: emulator.control,
    url,
    token,
    label,
    secret: { name: secretName, entries: { [tokenKey]: token } },
    sets: [{ name: label, min: 0, spec: { github: { url, credentials: { secret: secretName } } } }],
    forgeFor,
    registrations: () => emulator.control.registrations().map(({ name }) => name),
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}
