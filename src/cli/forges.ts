// The forge accounts of a process: one for each URL and credential, so that sets share tokens and pacing.
import type { Forge } from '../forge/forge.ts'
import { callsAtOnceMax } from '../forge/github/calls.ts'
import { createGitHubForge } from '../forge/github/github.ts'
import type { AnomalyLog } from '../forge/github/protocol-anomaly.ts'
import type { Clock } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import { httpClient } from '../lib/http-client.ts'
import type { Random } from '../lib/random.ts'
import type { GitHubSource } from '../model/runner-set.ts'

export interface Forges {
  /** Returns the account of a set. Throws a `PortError` for a configuration that cannot work. */
  forgeFor(source: GitHubSource, credential: Readonly<Record<string, string>>): Forge
  /** Closes every connection. */
  close(): Promise<void>
}

export type ForgesOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** The owner of message sessions, for example the pod's name. */
  readonly owner: string
  /** Receives the protocol anomalies of every forge. */
  readonly onAnomaly: AnomalyLog
  /** Lets the caller count the requests of an account. `url` is the account's URL. */
  readonly observe: (transport: Transport, url: string) => Transport
}

/** Connections for lists, tokens and acknowledgements beside a burst of registrations. */
const otherCalls = 16

export function createForges({ clock, random, userAgent, owner, onAnomaly, observe }: ForgesOptions): Forges {
  const client = httpClient({ connections: callsAtOnceMax + otherCalls })
  const accounts = new Map<string, Forge>()
  return {
    forgeFor: (source, credential) => {
      const { url } = source
      const token = credential['github_token'] ?? ''
      const key = JSON.stringify([url, token])
      const transport = observe(client.transport, url)
      const options = { transport, clock, random, userAgent, owner, log: onAnomaly }
      const account = accounts.get(key) ?? createGitHubForge({ url, credential: { kind: 'token', token }, ...options })
      accounts.set(key, account)
      return account
    },
    close: client.close,
  }
}
