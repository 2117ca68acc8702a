// Why a pod ended, in the cluster's own words: the status that the kubelet wrote, and the condition DisruptionTarget.
import type { Instant } from '@dayfly/kit/clock'
import { type LastingFailure, reasonOfEnd } from '@dayfly/runner-set/model/failure'
import type { ContainerEnd } from '@dayfly/runner-set/model/runner'
import type { ContainerStatus, PodObject } from './pod-object.ts'

/** Returns the end of the runner container. If the pod failed before the container could start, or its status was lost, returns the end of the pod. */
export function endOf(
  pod: PodObject,
  runner: ContainerStatus | undefined,
  createdAt: Instant,
): ContainerEnd | undefined {
  const ended = runner?.state?.terminated
  const { phase, reason, message } = pod.status ?? {}
  if (ended) {
    const at = Date.parse(ended.finishedAt ?? '') || createdAt
    return { exitCode: ended.exitCode, reason: ended.reason ?? 'Unknown', at, killedHelper: killedHelper(pod, runner) }
  }
  if (phase !== 'Failed' && phase !== 'Succeeded') return undefined
  const words = [reason, message].filter(Boolean).join(': ')
  return { exitCode: phase === 'Succeeded' ? 0 : -1, reason: words || 'Unknown', at: createdAt }
}

/** Returns the name of another container that exceeded its memory limit. */
function killedHelper({ status }: PodObject, runner: ContainerStatus): string | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  return all.find(({ name, state }) => name !== runner.name && state?.terminated?.reason === 'OOMKilled')?.name
}

/**
 * Returns who ended the pod, or is about to end it: the reason that the kubelet wrote into the status, or the condition DisruptionTarget, which
 * is there before the pod is deleted. Returns undefined for a pod that nobody ends. `since` is the pod's creation if the cluster does not say when
 * the disruption began. The kubelet never says it: its condition has the time when the last container had ended
 * (docs/reference/kubernetes.md#s1-7).
 */
export function disruptionOf({ status }: PodObject, createdAt: Instant): LastingFailure | undefined {
  const condition = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
  const began = condition?.reason === 'TerminationByKubelet' ? undefined : condition?.lastTransitionTime
  const since = Date.parse(began ?? '') || createdAt
  for (const said of [status, condition]) {
    const reason = reasonOfEnd(said?.reason)
    if (said && reason) return { reason, message: [said.reason, said.message].filter(Boolean).join(': '), since }
  }
  return undefined
}
