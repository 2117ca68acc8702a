// Records each action of a repair as an Event in the cluster.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { fieldManager } from './perform.ts'
import { events } from './resources.ts'
import { type Action, describe, type Step, type Target } from './step.ts'

type Recording = {
  readonly step: Step
  readonly target: Target
  /** The object disappears. The Event is then about its namespace. */
  readonly goesAway: boolean
  /** The digest of the plan. */
  readonly plan: string
  readonly at: Instant
}

/** Resolves with the outcome; a repair does not fail for a missing Event. Uses core `v1`, which every cluster and `kubectl describe` support. */
export async function recordEvent(kubernetes: Kubernetes, recording: Recording): Promise<string> {
  try {
    await kubernetes.create(events, eventOf(recording), { fieldManager })
    return 'recorded'
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    return error.kind === 'already-exists' ? 'recorded' : `not recorded: ${error.message}`
  }
}

function eventOf({ step, target, goesAway, plan, at }: Recording): KubeObject {
  const { resource, name, uid } = target
  const namespace = target.namespace ?? 'default'
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
  const time = timestamp(at)
  const prefix = name.slice(0, nameLengthMax).replace(/[^a-z0-9]+$/, '')
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${prefix}.${fieldManager}-${plan}-${step.id}`, namespace },
    // An Event must be in the namespace of its object, also if that object is the namespace.
    involvedObject: goesAway
      ? { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace }
      : { apiVersion, kind: resource.kind, name, namespace, uid },
    type: 'Normal',
    reason: reasons[step.action.do],
    message: `${describe(step.action)} (uid ${uid}): rule ${step.rule}, plan ${plan}, step ${step.id}`,
    action: step.action.do,
    source: { component: fieldManager },
    reportingComponent: fieldManager,
    reportingInstance: fieldManager,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}

/** A name may have 253 characters. The suffix is shorter than 50. */
const nameLengthMax = 200

const reasons: Readonly<Record<Action['do'], string>> = {
  delete: 'DoctorDeleted',
  'remove-finalizer': 'DoctorRemovedFinalizer',
  deregister: 'DoctorDeregistered',
}
