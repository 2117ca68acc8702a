// The demand that a status shows, as the forge of the set reports it.
import { unreachable } from '@dayfly/kit/assert'
import type { Demand } from '@dayfly/runner-set/model/demand'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { SetView } from './set-view.ts'

/** The status shows the jobs that wait or run. A forge with a queue counts those that wait. */
export function storedDemand(set: RunnerSet, jobs: number, { idle = 0, busy = 0 }: SetView): Demand {
  const { demand: kind } = forgeTraits[set.source.kind]
  switch (kind) {
    case 'assigned':
      return { kind, jobs }
    case 'queued':
      return { kind, jobs: Math.max(0, jobs - busy) }
    case 'utilisation':
      return { kind, busy: jobs, idle }
    default:
      return unreachable(kind)
  }
}
