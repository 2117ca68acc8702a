// Whether an open link to the forge can take a change of its set.
import { isPaused } from '@dayfly/runner-set/core/paused'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

/** Labels, group and ceiling can change on an open link. Another account, another proxy of the runners, or a pause, needs a new one. */
export function needsNewLink(before: RunnerSet, after: RunnerSet): boolean {
  const account = ({ source: { labels, runnerGroup, rerun, ...rest }, network: { proxy } }: RunnerSet) => [rest, proxy]
  const sameAccount = JSON.stringify(account(before)) === JSON.stringify(account(after))
  return !sameAccount || isPaused(before) !== isPaused(after)
}
