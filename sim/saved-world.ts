// The state that a world at rest leaves to the next one. No runner, job or process is alive then, so plain values hold all of it.
import type { ClusterOptions } from '@dayfly/cluster/cluster'
import type { GitHubEmulatorOptions } from '@dayfly/forge-emulators/github/emulator'
import type { Instant } from '@dayfly/kit/clock'
import type { SavedPrints } from './checkers/prints.ts'

export type SavedWorld = {
  readonly at: Instant
  readonly cluster: NonNullable<ClusterOptions['data']>['restored']
  readonly github: NonNullable<GitHubEmulatorOptions['kept']>
  /** How many processes of the controller have been started. */
  readonly started: number
  readonly prints: SavedPrints
}
