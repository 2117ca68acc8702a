// What a controller is given: its two ports, time, randomness, limits, and who it is.
import type { Forge } from '../forge/forge.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { KubeObject } from '../kubernetes/types.ts'
import type { Clock } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import type { Random } from '../lib/random.ts'
import type { Limits } from '../model/limits.ts'
import type { GitHubSource, RunnerSet } from '../model/runner-set.ts'

export type ControllerOptions = {
  readonly kubernetes: Kubernetes
  /** The same API server, for the watches. */
  readonly transport: Transport
  /** The account behind a set; the same one for the same URL and credential. Throws a `PortError` for a configuration that cannot work. */
  readonly forgeFor: (source: GitHubSource, credential: Readonly<Record<string, string>>) => Forge
  readonly parseSet: (object: KubeObject) => ParsedSet
  readonly clock: Clock
  readonly random: Random
  readonly limits: Limits
  /** Unique for each process. */
  readonly identity: string
  /** Where the Lease of the election stands. */
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Undefined: the sets of all namespaces. */
  readonly namespace?: string | undefined
}

export type ParsedSet =
  | { readonly ok: true; readonly set: RunnerSet }
  | { readonly ok: false; readonly problems: readonly { readonly path: string; readonly sentence: string }[] }
