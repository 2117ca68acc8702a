// Syncs one StatefulSet: its revisions, its claims, its pods in their order, and its status.
import { ApiError } from '../../api/errors.ts'
import { type JsonObject, objects } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { claim } from '../claim.ts'
import { type Reconciliation, retryMs } from '../object-loop.ts'
import { isDeleting, isReady, podFromTemplate, untilAvailable } from '../pods.ts'
import {
  deleteOldRevisions,
  presentRevision,
  type Revision,
  revisionsOf,
  templateOfRevision,
} from '../workload/revisions.ts'
import { writeStatus } from '../write-status.ts'
import { claimsOf, createClaims, hasStaleClaim, retainClaims } from './claims.ts'
import { hasNameOf, podName, revisionLabel, revisionOf, type StatefulSet } from './stateful-set-object.ts'
import { type Step, stepsOf } from './steps.ts'

/** The revisions that pods are made from: before and after the update that is under way. */
type Revisions = { readonly current: Revision; readonly update: Revision }

export function syncStatefulSet(context: Reconciliation, set: StatefulSet): void {
  const { registry, clock, again } = context
  const all = revisionsOf(registry, set)
  const update = presentRevision(registry, set, all, 'controller.kubernetes.io/hash')
  const current = all.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update
  const revisions = { current, update }
  if (set.metadata.deletionTimestamp === undefined && !takeSteps(context, set, revisions)) again(retryMs)
  const pods = podsOf(context, set)
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, clock.now()) ?? 0).filter((ms) => ms > 0)
  if (waits.length > 0) again(Math.min(...waits))
  writeStatus(registry, 'statefulsets.apps', set, statusOf(context, set, pods, revisions))
  const live = [current, update].map(({ metadata }) => metadata.name)
  deleteOldRevisions(registry, set, new Set([...live, ...pods.map((pod) => revisionOf(pod) ?? '')]))
}

function podsOf({ registry }: Reconciliation, set: StatefulSet): readonly StoredObject[] {
  return claim(registry, set, { resource: 'pods', kind: 'Pod', mayOwn: (pod) => hasNameOf(set, pod) })
}

/** Returns whether all steps were possible. */
function takeSteps(context: Reconciliation, set: StatefulSet, revisions: Revisions): boolean {
  const { registry, clock } = context
  const pods = podsOf(context, set)
  for (const pod of pods) retainClaims(registry, set, pod)
  const steps = stepsOf(set, pods, revisions.update.metadata.name, clock.now())
  // A step that is refused stops the rest, as in Kubernetes.
  return steps.every((step) => take(context, set, revisions, step))
}

/** Returns whether the API server accepted the step. */
function take(context: Reconciliation, set: StatefulSet, revisions: Revisions, step: Step): boolean {
  const { registry, events } = context
  const name = step.does === 'create' ? podName(set, step.ordinal) : step.pod.metadata.name
  const verb = step.does === 'create' ? 'Create' : 'Delete'
  try {
    if (step.does === 'delete') {
      registry.delete('pods', set.metadata.namespace, name, { preconditions: { uid: step.pod.metadata.uid } })
    } else {
      if (hasStaleClaim(registry, set, step.ordinal)) return false
      createClaims(context, set, step.ordinal)
      retainClaims(registry, set, registry.create('pods', podFrom(set, step.ordinal, revisions[step.from])))
    }
    events.record('Normal', `Successful${verb}`, `${verb} Pod ${name} in StatefulSet ${set.metadata.name} successful`)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = `${verb} Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${error.status.message}`
    if (error.status.reason !== 'AlreadyExists') events.record('Warning', `Failed${verb}`, message)
    return false
  }
}

function podFrom(set: StatefulSet, ordinal: number, revision: Revision): object {
  const name = podName(set, ordinal)
  const { metadata, spec } = podFromTemplate(set, templateOfRevision(revision))
  const identity = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [revisionLabel]: revision.metadata.name,
  }
  const claims = claimsOf(set, ordinal)
  const kept = objects(spec, 'volumes').filter((volume) => claims.every((one) => one.volume !== volume['name']))
  const volumes = claims.map((one) => ({ name: one.volume, persistentVolumeClaim: { claimName: one.name } }))
  return {
    metadata: { ...metadata, name, labels: { ...Object(metadata['labels']), ...identity } },
    spec: { ...spec, hostname: name, subdomain: set.spec.serviceName, volumes: [...volumes, ...kept] },
  }
}

function statusOf(
  { clock }: Reconciliation,
  set: StatefulSet,
  pods: readonly StoredObject[],
  { current, update }: Revisions,
): JsonObject {
  const ready = pods.filter(isReady)
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const available = ready.filter((pod) => untilAvailable(pod, minReadySeconds, clock.now()) === 0)
  const made = (revision: Revision): number =>
    pods.filter((pod) => !isDeleting(pod) && revisionOf(pod) === revision.metadata.name).length
  const wanted = set.spec.replicas
  const isComplete =
    set.spec.updateStrategy.type === 'RollingUpdate' &&
    [made(update), ready.length, pods.length].every((count) => count === wanted)
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    currentReplicas: made(isComplete ? update : current),
    updatedReplicas: made(update),
    currentRevision: (isComplete ? update : current).metadata.name,
    updateRevision: update.metadata.name,
  }
}
