// The arguments of every action of one set. An action makes calls and returns an Outcome: it keeps no state and decides nothing about a life.
import type { Instant } from '@dayfly/kit/clock'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Link } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

export type ActContext = {
  readonly kubernetes: Kubernetes
  readonly set: RunnerSet
  readonly templateHash: string
  /** The set's connection; undefined while there is none. */
  readonly link: Link | undefined
  /** The entries of the Secret of the runners' proxy, if the set names one. */
  readonly proxyLogin: SecretEntries | undefined
  /** When the decision was made: no response to the action is older. */
  readonly decidedAt: Instant
  /** Whether leadership is certain: a process that was suspended runs code before its timers. Each call that changes something at the forge asks first; the verbs of `kubernetes` ask by themselves. */
  readonly leads: () => boolean
  /** Aborted when leadership ends: no write may be under way after that. */
  readonly signal: AbortSignal
}
