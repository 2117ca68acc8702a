// The arguments of a controller: its two ports, time, randomness, limits and identity.
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { Forge, ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { PoolPart } from '@dayfly/runner-set/model/pool'
import type { ForgeSource, RunnerSet } from '@dayfly/runner-set/model/runner-set'

export type ControllerOptions = {
  readonly kubernetes: Kubernetes
  /** The transport to the same API server, for the watches. */
  readonly transport: Transport
  /** Returns the account of a set: the same one for the same URL and access. Throws a `PortError` for a configuration that cannot work. */
  readonly forgeFor: (source: ForgeSource, access: ForgeAccess) => Forge
  readonly parseSet: (object: KubeObject) => ParsedSet
  /** The API server's time, by which the cluster's stamps count. */
  readonly clock: Clock
  /** Measures for how long this process has led. It may measure too much, and never too little. */
  readonly stopwatch: Stopwatch
  readonly random: Random
  readonly limits: Limits
  /** The name of this process in the election. No other process has it. */
  readonly identity: string
  /** The Lease of the election. */
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Runs each tick, for example to time it. */
  readonly measureTick?: (<Result>(tick: () => Result) => Result) | undefined
  /** Whether the pods of jobs get the labels of their repository and workflow. */
  readonly costLabels?: boolean | undefined
  /** The only namespace whose sets are run; undefined for all. */
  readonly namespace?: string | undefined
}

export type ParsedSet =
  | { readonly ok: true; readonly set: RunnerSet }
  | {
      readonly ok: false
      readonly problems: readonly { readonly path: string; readonly sentence: string }[]
      /** Undefined if the set has none, or it cannot be read either. */
      readonly pool: PoolPart | undefined
    }
