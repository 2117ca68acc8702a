// The demo's forge: an emulated GitHub on loopback, and the one account at it that runner sets of the demo may use.

import type { Control } from '../../emulator/github/control.ts'
import { createGitHubEmulator } from '../../emulator/github/emulator.ts'
import type { Forge } from '../../forge/forge.ts'
import { createGitHubForge } from '../../forge/github/github.ts'
import type { AnomalyLog } from '../../forge/github/protocol-anomaly.ts'
import type { Clock } from '../../lib/clock.ts'
import { httpClient } from '../../lib/http-client.ts'
import { randomName } from '../../lib/ids.ts'
import type { Random } from '../../lib/random.ts'
import { PortError } from '../../model/port-error.ts'
import type { GitHubSource } from '../../model/runner-set.ts'

export interface DemoForge {
  readonly control: Control
  /** What a runner set of the demo has as its `github.url`. */
  readonly url: string
  readonly token: string
  /** The account behind a set. Throws a `PortError` for every other forge: the demo never leaves this machine. */
  forgeFor(source: GitHubSource, credential: Readonly<Record<string, string>>): Forge
  close(): Promise<void>
}

/** A runner that was killed is given up sooner than at GitHub (10 minutes); runners say something every minute. */
const jobLeaseS = 90

export type DemoForgeOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** Told of what the forge does against its protocol. */
  readonly onOddity: AnomalyLog
}

export async function openForge({ clock, random, userAgent, onOddity }: DemoForgeOptions): Promise<DemoForge> {
  const token = `ghp_${randomName(random, 36)}`
  const emulator = createGitHubEmulator({ clock, random, tokens: [token], knobs: { jobLeaseS } })
  const server = await emulator.listen(0)
  const url = `${server.origin}/demo`
  const client = httpClient()
  const accounts = new Map<string, Forge>()
  const forgeFor: DemoForge['forgeFor'] = (source, credential) => {
    if (!source.url.startsWith(`${server.origin}/`)) {
      throw new PortError('github', 'bad-config', `the demo has only its own forge, ${url}, not ${source.url}`)
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
        log: onOddity,
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
