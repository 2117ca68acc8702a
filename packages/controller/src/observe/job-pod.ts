// Reduces the pod of a job to the fields that decide about it. The hooks of GitHub's runner image make such pods
// (https://github.com/actions/runner-container-hooks/tree/main/packages/k8s).
import type { LastingFailure } from '@dayfly/runner-set/model/failure'
import { reasonOfEnd } from '@dayfly/runner-set/model/failure'
import type { JobPod } from '@dayfly/runner-set/model/job-pod'
import { disruptionOf, endOf } from './pod-end.ts'
import type { PodObject } from './pod-object.ts'
import { latestProgress, startFailureOfPod } from './pod-start-failure.ts'

/** The label with which the hooks name the runner's pod. */
export const runnerPodLabel = 'runner-pod'

/** The container of a job's pod in which its steps run. */
const jobContainer = 'job'
/** The hooks cut a long name of the runner before they add this. */
const secretInfix = '-secret-'
const cutAt = 47

export function observeJobPod(pod: PodObject): JobPod | undefined {
  const { metadata, spec } = pod
  const runner = metadata.labels?.[runnerPodLabel]
  if (!runner) return undefined
  const createdAt = Date.parse(metadata.creationTimestamp ?? '') || 0
  const progressedAt = latestProgress(pod, createdAt)
  const ofHooks = `${runner.slice(0, cutAt)}${secretInfix}`
  const secrets = (spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name?.startsWith(ofHooks) ? [name] : []))
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    runner,
    owners: (metadata.ownerReferences ?? []).map(({ uid }) => uid),
    secrets,
    isDeleting: metadata.deletionTimestamp !== undefined,
    progressedAt,
    startCause: startFailureOfPod(pod, progressedAt),
    endFailure: endFailureOf(pod, createdAt),
  }
}

/** The container of a job waits for its steps and never ends by itself. A container of a step may end with any code. */
function endFailureOf(pod: PodObject, createdAt: number): LastingFailure | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === jobContainer)
  const end = endOf(pod, status, createdAt)
  const disrupted = disruptionOf(pod, createdAt)
  if (disrupted) return { ...disrupted, since: Math.max(disrupted.since, end?.at ?? createdAt) }
  if (!end || end.exitCode === 0 || pod.metadata.deletionTimestamp !== undefined) return undefined
  const message = `container ${jobContainer}: exit code ${end.exitCode} (${end.reason})`
  return { reason: reasonOfEnd(end.reason) ?? 'job-pod-ended', message, since: end.at }
}
