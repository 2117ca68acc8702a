// The meaning of a runner container's end: exit code 0 alone proves nothing (docs/reference/scale-set-protocol.md#s15-2).
import { type Failure, reasonOfEnd } from '../model/failure.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { ContainerEnd, Runner } from '../model/runner.ts'
import type { RunnerSet } from '../model/runner-set.ts'

/** Returns why the end is a failure of the runner; undefined if the runner left by itself, or was deleted by us.
 *  A job that failed by its own steps is no failure of the runner.
 *  @param set undefined if it cannot be read */
export function failureOfEnd(
  runner: Pick<Runner, 'pod' | 'deleted'>,
  end: ContainerEnd,
  set: Pick<RunnerSet, 'source'> | undefined,
): Failure | undefined {
  if (end.exitCode === 0 || runner.deleted) return undefined
  const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
  if (pod?.deletionDeadline !== undefined) return { reason: 'pod-vanished', message: 'another client deleted its pod' }
  if (pod?.startFailure) return { reason: pod.startFailure.reason, message: pod.startFailure.message }
  const message = `exit code ${end.exitCode} (${end.reason})`
  const outdated = set && end.exitCode === forgeTraits[set.source.kind].runner.outdatedExitCode
  return { reason: reasonOfEnd(end.reason) ?? (outdated ? 'runner-outdated' : 'runner-failed'), message }
}
