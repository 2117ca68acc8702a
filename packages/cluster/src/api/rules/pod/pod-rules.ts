// Pods: their defaults, the fields that may change, and their grace period.
import { timestamp } from '@dayfly/kit/timestamp'
import type { StoredObject } from '../../../store/object.ts'
import { sameJson } from '../../values/json.ts'
import { checkPodLimits } from '../limits.ts'
import type { Rules } from '../rules.ts'
import { checkOverhead } from './class-admission.ts'
import { admitPod, tolerateFailingNodes } from './pod-admission.ts'
import { fillPodSpec } from './pod-defaults.ts'
import { type PodSpec, specOf, statusOf } from './pod-spec.ts'
import { qosClassOf } from './resources.ts'
import { dropDisabledRestarts } from './restart-rules.ts'
import { validateNewPod, validatePodSpec } from './validate-pod.ts'
import { validatePodStatus } from './validate-pod-status.ts'
import { validatePodUpdate } from './validate-pod-update.ts'

export const podRules: Rules = {
  fill: (draft) => fillPodSpec(specOf(draft)),
  prepare: (draft, api) => {
    admitPod(draft, api)
    const spec = specOf(draft)
    draft.metadata.generation = 1
    draft['status'] = { phase: 'Pending', qosClass: qosClassOf(spec), ...gatedStatus(spec, timestamp(api.clock.now())) }
    dropDisabledRestarts(spec, api.profile)
  },
  prepareUpdate: (draft, current, api) => {
    const [spec, known] = [specOf(draft), specOf(current)]
    if (spec === known) return
    if (known.priority !== undefined) spec.priority ??= known.priority
    tolerateFailingNodes(spec)
    dropDisabledRestarts(spec, api.profile)
  },
  prepareStatus: (draft, current) => {
    draft.metadata.ownerReferences = current.metadata.ownerReferences
    const [status, known] = [statusOf(draft), statusOf(current)]
    if (known.qosClass !== undefined) status.qosClass ??= known.qosClass
    if (known.observedGeneration !== undefined) status.observedGeneration ??= known.observedGeneration
  },
  validate: (draft, api) => {
    const spec = specOf(draft)
    return [...validatePodSpec(spec, api.profile), ...validateNewPod(spec)]
  },
  validateUpdate: (draft, current, api) => {
    const [next, known] = [specOf(draft), specOf(current)]
    return next === known ? [] : [...validatePodSpec(next, api.profile), ...validatePodUpdate(next, known)]
  },
  validateStatus: (draft, current, api) =>
    validatePodStatus(statusOf(draft), statusOf(current), specOf(current), api.profile),
  admit: (draft, api, current) => {
    if (current !== undefined) return
    checkPodLimits(draft, api)
    checkOverhead(specOf(draft), draft.metadata.name ?? '', api)
  },
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
  grace: graceOf,
}

/** Returns the condition of a pod with scheduling gates. The scheduler ignores such a pod. */
function gatedStatus(spec: PodSpec, now: string): object {
  if ((spec.schedulingGates ?? []).length === 0) return {}
  const message = 'Scheduling is blocked due to non-empty scheduling gates'
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message,
    lastTransitionTime: now,
  }
  return { conditions: [condition] }
}

/** Returns the grace period in seconds: 0 for a pod that no kubelet runs (not scheduled, or finished). */
function graceOf(pod: StoredObject, asked: number | undefined): number {
  const [spec, { phase }] = [specOf(pod), statusOf(pod)]
  if ((spec.nodeName ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? 0
  return seconds < 0 ? 1 : seconds
}
