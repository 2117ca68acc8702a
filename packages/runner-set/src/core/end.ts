// The meaning of a runner container's end: exit code 0 alone proves nothing (docs/reference/scale-set-protocol.md#s15-2).
import { type Failure, reasonOfEnd } from '../model/failure.ts'
import type { ContainerEnd, Runner } from '../model/runner.ts'

/** The exit code of GitHub's runner when the forge refuses its version. */
const outdatedExitCode = 7

/** Returns why the end is a failure of the runner; undefined if the runner left by itself, or was deleted by us.
 *  A job that failed by its own steps is no failure of the runner. */
export function failureOfEnd(runner: Pick<Runner, 'pod' | 'deleted'>, end: ContainerEnd): Failure | undefined {
  if (end.exitCode === 0 || runner.deleted) return undefined
  const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
  if (pod?.deletionDeadline !== undefined) return { reason: 'pod-vanished', message: 'another client deleted its pod' }
  if (pod?.startFailure) return { reason: pod.startFailure.reason, message: pod.startFailure.message }
  const message = `exit code ${end.exitCode} (${end.reason})`
  return { reason: reasonOfEnd(end.reason) ?? byExitCode(end.exitCode), message }
}

function byExitCode(exitCode: number): Failure['reason'] {
  return exitCode === outdatedExitCode ? 'runner-outdated' : 'runner-failed'
}
