// The client of each forge, by the forge's kind: for the sets of a controller, and for a command that only looks.
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { Forge, ForgeExchange } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { ForgeKind, ForgeSource } from '@dayfly/runner-set/model/runner-set'
import { createBitbucketAccount } from '../bitbucket/account.ts'
import { createBitbucketForge } from '../bitbucket/bitbucket.ts'
import { CallBudgets } from '../bitbucket/call-budget.ts'
import { readCredential as readBitbucketCredential } from '../bitbucket/credential.ts'
import { createGiteaAccount } from '../gitea/account.ts'
import { readCredential as readGiteaCredential } from '../gitea/credential.ts'
import { createGiteaForge } from '../gitea/gitea.ts'
import { createGitHubAccount } from '../github/account.ts'
import { SharedLimits } from '../github/calls/shared-limits.ts'
import { readCredential as readGitHubCredential } from '../github/credentials/credential.ts'
import { createGitHubForge } from '../github/github.ts'
import type { AnomalyLog } from '../github/session/protocol-anomaly.ts'

/** The process that calls a forge. */
export type Caller = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
}

export type Controlling = Caller & {
  /** The owner of message sessions, for example the pod's name. */
  readonly owner: string
  /** Receives the protocol anomalies of every forge. */
  readonly onAnomaly: AnomalyLog
  /** Receives each request to a forge, for metrics. */
  readonly onExchange: (exchange: ForgeExchange) => void
  /** Whether GITHUB_ACTIONS_FORCE_GHES is set. */
  readonly forceServer: boolean
}

/** Reads the entries of the set's Secret, and returns how to open its account. Both throw a `PortError` for a configuration that cannot work. */
type Open<Account> = (source: ForgeSource, entries: SecretEntries) => (transport: Transport) => Account

/** The accounts that one result opens share the limits of their forge. */
export function forgeOpeners(caller: Controlling): Readonly<Record<ForgeKind, Open<Forge>>> {
  const limits = new SharedLimits()
  const budgets = new CallBudgets()
  return {
    github: ({ url, credentialsSecret }, entries) => {
      const credential = readGitHubCredential(entries, credentialsSecret)
      return (transport) => createGitHubForge({ ...caller, url, credential, transport, log: caller.onAnomaly, limits })
    },
    bitbucket: ({ url, credentialsSecret }, entries) => {
      const credential = readBitbucketCredential(entries, credentialsSecret)
      const budget = budgets.of(credential)
      return (transport) => createBitbucketForge({ ...caller, url, credential, transport, budget })
    },
    gitea: ({ url, credentialsSecret }, entries) => {
      const token = readGiteaCredential(entries, credentialsSecret)
      return (transport) => createGiteaForge({ ...caller, url, token, transport })
    },
  }
}

export function accountOpeners(caller: Caller): Readonly<Record<ForgeKind, Open<ForgeAccount>>> {
  return {
    github: ({ url, credentialsSecret }, entries) => {
      const credential = readGitHubCredential(entries, credentialsSecret)
      return (transport) => createGitHubAccount({ ...caller, url, credential, transport })
    },
    bitbucket: ({ url, credentialsSecret }, entries) => {
      const credential = readBitbucketCredential(entries, credentialsSecret)
      return (transport) => createBitbucketAccount({ ...caller, url, credential, transport })
    },
    gitea: ({ url, credentialsSecret }, entries) => {
      const token = readGiteaCredential(entries, credentialsSecret)
      return (transport) => createGiteaAccount({ ...caller, url, token, transport })
    },
  }
}
