// The meaning of a runner container's end: exit code 0 alone proves nothing (docs/reference/scale-set-protocol.md#s15-2).
import type { Instant } from '@dayfly/kit/clock'
import { type Failure, reasonOfEnd } from '../model/failure.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { Limits } from '../model/limits.ts'
import type { ContainerEnd, PodFacts, Runner } from '../model/runner.ts'
import { runnerContainer } from '../model/runner-names.ts'
import type { RunnerSet } from '../model/runner-set.ts'

type EndedRunner = Pick<Runner, 'name' | 'pod' | 'deleted' | 'ending' | 'job'>

/** Returns why the end is a failure of the runner; undefined if the runner left by itself, or was removed by us.
 *  A job that failed by its own steps is no failure of the runner.
 *  @param set undefined if it cannot be read */
export function failureOfEnd(
  runner: EndedRunner,
  end: ContainerEnd,
  set: Pick<RunnerSet, 'source' | 'namespace'> | undefined,
): Failure | undefined {
  if (runner.deleted) return undefined
  // Its registration may be gone before the answer is here, and a runner of GitHub exits without one.
  if (runner.ending && !runner.job) return undefined
  const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
  const disruption = disruptionBefore(runner, end)
  if (disruption) return disruption
  if (end.exitCode === 0) return undefined
  if (pod?.deletionDeadline !== undefined)
    return { reason: 'pod-vanished', message: 'its pod was deleted, and not by Dayfly' }
  const held = pod?.startFailure
  if (held) return { reason: held.step?.late ?? held.reason, message: held.message }
  return failureOfContainer(runner.name, end, set)
}

/**
 * Returns until when the pod of an ended runner may still name a disruption, so that a deletion would lose it; undefined if it may not.
 * The kubelet names one only when every container has ended (docs/reference/kubernetes.md#s1-7). A job that succeeded was not disrupted.
 */
export function disruptionAwaitedUntil(
  { job }: Pick<Runner, 'job'>,
  { end, finished, disrupted }: PodFacts,
  { lateStatusMs }: Limits,
): Instant | undefined {
  if (!end || finished || disrupted) return undefined
  const isUnharmed = end.exitCode === 0 && (!job || job.finished?.result === 'succeeded')
  return isUnharmed ? undefined : end.at + lateStatusMs
}

/** A disruption is the cause also if the container then ended in order. A runner that is asked to end may still report the end of its job. */
function disruptionBefore({ pod, job }: EndedRunner, end: ContainerEnd): Failure | undefined {
  const facts = pod.is === 'present' ? pod.value : undefined
  const disrupted = facts?.disrupted
  if (!disrupted) return undefined
  // An end without a time of its own has that of the creation, and proves no order.
  if (end.at > facts.createdAt && disrupted.since > end.at) return undefined
  const { finished } = job ?? {}
  const isUnharmed = finished && (finished.result === 'succeeded' || finished.at < disrupted.since)
  if (end.exitCode === 0 && isUnharmed) return undefined
  return { reason: disrupted.reason, message: disrupted.message }
}

function failureOfContainer(
  name: string,
  end: ContainerEnd,
  set: Pick<RunnerSet, 'source' | 'namespace'> | undefined,
): Failure {
  if (end.exitCode < 0) return { reason: 'start-unexplained', message: `the pod failed before it ran (${end.reason})` }
  const message = `exit code ${end.exitCode} (${end.reason})`
  const known = reasonOfEnd(end.reason)
  if (known) return { reason: known, message: `container ${runnerContainer}: ${message}` }
  if (end.killedHelper !== undefined) {
    return { reason: 'out-of-memory', message: `container ${end.killedHelper}; then the runner ended with ${message}` }
  }
  if (set && end.exitCode === forgeTraits[set.source.kind].runner.outdatedExitCode) {
    return { reason: 'runner-outdated', message }
  }
  const where = set ? ` -n ${set.namespace}` : ''
  return { reason: 'runner-failed', message: `${message}; kubectl${where} logs ${name} -c ${runnerContainer}` }
}
