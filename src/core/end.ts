// What the end of a runner container means (scale-set protocol 15.2): exit 0 proves nothing by itself.
import type { Failure } from '../model/failure.ts'
import type { ContainerEnd, Runner } from '../model/runner.ts'

/** Undefined for an end as it should be: the runner left by itself, with or without telling of its job. A job that failed by its own steps is no failure of the runner. */
export function failureOfEnd(runner: Pick<Runner, 'pod' | 'ending'>, end: ContainerEnd): Failure | undefined {
  if (end.exitCode === 0 || runner.ending) return undefined
  const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
  if (pod?.deletionDeadline !== undefined) return { reason: 'pod-vanished', message: 'somebody else deleted its pod' }
  const told = pod?.startFailure
  if (told) return { reason: told.reason, message: told.message }
  if (end.reason === 'OOMKilled') return { reason: 'out-of-memory', message: `exit code ${end.exitCode}` }
  if (end.reason === 'Evicted') return { reason: 'evicted', message: 'the node evicted the pod' }
  if (end.reason === 'Preempting' || end.reason === 'Preempted') return { reason: 'preempted', message: end.reason }
  if (end.reason === 'NodeLost') return { reason: 'node-lost', message: 'the node is gone' }
  if (end.exitCode === 7) return { reason: 'runner-outdated', message: 'exit code 7' }
  return { reason: 'runner-failed', message: `exit code ${end.exitCode} (${end.reason})` }
}
