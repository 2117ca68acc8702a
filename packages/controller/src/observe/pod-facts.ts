// Reduces a pod of the API server to the few fields that decide about a runner's life. The rest of the object is dropped.
import type { Instant } from '@dayfly/kit/clock'
import { runnerContainer } from '@dayfly/runner-set/core/default-spec'
import { annotations, labels } from '@dayfly/runner-set/core/pod'
import type { ContainerEnd, PodFacts } from '@dayfly/runner-set/model/runner'
import type { ContainerStatus, PodObject } from './pod-object.ts'
import { latestProgress, startFailureOfPod } from './pod-start-failure.ts'

/** The facts of one runner's pod, and the set that it belongs to. */
export type ObservedPod = {
  readonly name: string
  readonly namespace: string
  readonly set: string
  readonly setUid: string
  readonly facts: PodFacts
}

/** Returns undefined for a pod that is not a runner of a RunnerSet. */
export function observePod(pod: PodObject): ObservedPod | undefined {
  const { metadata } = pod
  const set = metadata.labels?.[labels.set]
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === 'RunnerSet')
  if (!set || !owner) return undefined
  return { name: metadata.name, namespace: metadata.namespace ?? '', set, setUid: owner.uid, facts: factsOf(pod) }
}

function factsOf(pod: PodObject): PodFacts {
  const { metadata, spec, status } = pod
  const createdAt = instant(metadata.creationTimestamp) ?? 0
  const progressedAt = latestProgress(pod, createdAt)
  const runner = status?.containerStatuses?.find((container) => container.name === runnerContainer)
  const startedAt = instant(runner?.state?.running?.startedAt ?? runner?.state?.terminated?.startedAt)
  return {
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    createdAt,
    progressedAt,
    node: spec?.nodeName,
    startedAt: startedAt && startedAt > 0 ? startedAt : undefined,
    end: endOf(pod, runner, createdAt),
    finished: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    startFailure: startFailureOfPod(pod, progressedAt),
    nodeSilentSince: nodeSilentSince(pod),
    deletionDeadline: instant(metadata.deletionTimestamp),
    registrationId: metadata.annotations?.[annotations.registrationId],
  }
}

/** Returns the end of the runner container. If the pod failed before the container could start, or its status was lost, returns the end of the pod. */
function endOf(pod: PodObject, runner: ContainerStatus | undefined, createdAt: Instant): ContainerEnd | undefined {
  const ended = runner?.state?.terminated
  const status = pod.status
  if (ended) {
    const reason = status?.reason === 'Evicted' ? 'Evicted' : (ended.reason ?? 'Unknown')
    return { exitCode: ended.exitCode, reason, at: instant(ended.finishedAt) || createdAt }
  }
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') {
    const disrupted = status.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
    const exitCode = status.phase === 'Succeeded' ? 0 : -1
    return { exitCode, reason: disruption(disrupted?.reason) ?? status.reason ?? 'Unknown', at: createdAt }
  }
  return undefined
}

/** The node controller marks the pods of a silent node as not ready. The conditions of their containers stay as the kubelet left them. */
function nodeSilentSince({ status }: PodObject): Instant | undefined {
  const conditionOf = (type: string) => status?.conditions?.find((condition) => condition.type === type)
  const ready = conditionOf('Ready')
  if (status?.phase !== 'Running' || ready?.status !== 'False' || ready.reason === 'ReadinessGatesNotReady') {
    return undefined
  }
  return conditionOf('ContainersReady')?.status === 'True' ? instant(ready.lastTransitionTime) : undefined
}

/** Translates the reasons of Kubernetes' DisruptionTarget condition into reasons of a container's end. */
function disruption(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  if (reason === 'PreemptionByScheduler') return 'Preempted'
  if (reason === 'DeletionByPodGC' || reason === 'DeletionByTaintManager') return 'NodeLost'
  return 'Evicted'
}

/** Returns the milliseconds of an API timestamp; undefined if it is absent or unreadable. */
function instant(text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
