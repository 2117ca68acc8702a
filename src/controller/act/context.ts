// What every action of one set works with.

import type { Link } from '../../forge/forge.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { JournalEvent } from '../../model/event.ts'
import type { SetCache } from '../observe/set-cache.ts'

export type ActContext = {
  readonly kubernetes: Kubernetes
  readonly cache: SetCache
  /** The set's connection; undefined while there is none. */
  readonly link: () => Link | undefined
  readonly clock: Clock
  readonly random: Random
  readonly journal: (event: JournalEvent) => void
  /** Aborted when leadership ends: no write may be under way after that. */
  readonly signal: AbortSignal
}
