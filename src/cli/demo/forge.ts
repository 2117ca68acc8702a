// The demo's forge: an emulated GitHub on 127.0.0.1, and the clients with which runner sets use it.

import type { Control } from '../../emulator/github/control.ts'
import { createGitHubEmulator } from '../../emulator/github/emulator.ts'
import type { Forge, ForgeAccess } from '../../forge/forge.ts'
import { createGitHubForge } from '../../forge/github/github.ts'
import type { AnomalyLog } from '../../forge/github/protocol-anomaly.ts'
import type { Clock } from '../../lib/clock.ts'
import { httpClient } from '../../lib/http-client.ts'
import { randomName } from '../../lib/ids.ts'
import type { Random } from '../../lib/random.ts'
import { PortError } from '../../model/port-error.ts'
import type { ForgeSource } from '../../model/runner-set.ts'

export interface DemoForge {
  readonly control: Control
  /** The `github.url` of the demo's runner sets. */
  readonly url: string
  readonly token: string
  /** Returns the client for a set. Throws a `PortError` for any other forge, so that the demo never leaves this machine. */
  forgeFor(source: ForgeSource, access: ForgeAccess): Forge
  close(): Promise<void>
}

/** The forge gives up a silent runner after this time. GitHub waits 10 minutes. Runners report at least once a minute. */
const jobLeaseS = 90

export type DemoForgeOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** Receives the forge's protocol anomalies. */
  readonly onAnomaly: AnomalyLog
}

export async function openForge({ clock, random, userAgent, onAnomaly }: DemoForgeOptions): Promise<DemoForge> {
  const token = `ghp_${randomName(random, 36)}`
  const emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs: { jobLeaseS } })
  const server = await emulator.listen(0)
  const url = `${server.origin}/demo`
  const client = httpClient()
  const accounts = new Map<string, Forge>()
  const forgeFor: DemoForge['forgeFor'] = (source, { credential }) => {
    if (!source.url.startsWith(`${server.origin}/`)) {
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
    forgeFor,
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}
