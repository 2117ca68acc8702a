// A pod of the API server down to the few fields that decide a runner's life. Pure; the rest of the object is let go.
import { annotations, labels, runnerContainer } from '../../core/pod.ts'
import type { Instant } from '../../lib/clock.ts'
import type { ContainerEnd, PodFacts } from '../../model/runner.ts'
import type { ContainerStatus, PodObject } from './pod-object.ts'
import { startFailureOfPod } from './pod-start-failure.ts'

/** One runner's pod, and whose it is. */
export type ObservedPod = {
  readonly name: string
  readonly namespace: string
  readonly set: string
  readonly setUid: string
  readonly facts: PodFacts
}

/** Undefined for a pod that is no runner of ours. */
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
  const runner = status?.containerStatuses?.find((container) => container.name === runnerContainer)
  const startedAt = instant(runner?.state?.running?.startedAt ?? runner?.state?.terminated?.startedAt)
  return {
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    createdAt,
    phase: status?.phase ?? 'Pending',
    node: spec?.nodeName,
    startedAt: startedAt && startedAt > 0 ? startedAt : undefined,
    end: endOf(pod, runner, createdAt),
    startFailure: startFailureOfPod(pod, createdAt),
    deletionDeadline: instant(metadata.deletionTimestamp),
    templateHash: metadata.annotations?.[annotations.templateHash] ?? '',
    registrationId: metadata.annotations?.[annotations.registrationId],
  }
}

/** The runner container's end; or the pod's own, when it failed before the runner could start or its status was lost. */
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

/** Kubernetes' DisruptionTarget reasons in the words of our failures. */
function disruption(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  if (reason === 'PreemptionByScheduler') return 'Preempted'
  if (reason === 'DeletionByPodGC' || reason === 'DeletionByTaintManager') return 'NodeLost'
  return 'Evicted'
}

/** Milliseconds of an API timestamp; undefined when it is absent or unreadable. */
function instant(text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
