// Reduces a pod of the API server to the few fields that decide about a runner's life. The rest of the object is dropped.
import type { Instant } from '@dayfly/kit/clock'
import { annotations, labels } from '@dayfly/runner-set/core/pod'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'
import { disruptionOf, endOf } from './pod-end.ts'
import type { PodObject } from './pod-object.ts'
import { helperCrashOf, latestProgress, startFailureOfPod } from './pod-start-failure.ts'

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
    disrupted: disruptionOf(pod, createdAt),
    finished: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    startFailure: startFailureOfPod(pod, progressedAt),
    helperCrash: helperCrashOf(pod, runnerContainer, startedAt || progressedAt),
    nodeSilentSince: nodeSilentSince(pod),
    deletionDeadline: instant(metadata.deletionTimestamp),
    registrationId: metadata.annotations?.[annotations.registrationId],
    templateHash: metadata.annotations?.[annotations.template],
  }
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

/** Returns the milliseconds of an API timestamp; undefined if it is absent or unreadable. */
function instant(text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
