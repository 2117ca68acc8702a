// Gives a new pod what its PriorityClass and its RuntimeClass say. A pod that names an absent class is refused.
// Source: https://github.com/kubernetes/kubernetes/tree/release-1.36/plugin/pkg/admission
import type { StoredObject } from '../../../store/object.ts'
import type { Api } from '../../api.ts'
import { forbidden } from '../../errors.ts'
import { field, isObject, list, objectAt, sameJson, text } from '../../values/json.ts'
import { defaultPriority, priorityClasses, runtimeClasses, systemPriorities } from '../classes.ts'
import type { PodSpec, Quantities, Toleration } from './pod-spec.ts'

const pods = { group: '', plural: 'pods', kind: 'Pod' }

export function admitPriority(spec: PodSpec, name: string, api: Api): void {
  const found = priorityOf(spec, api)
  if (found === undefined) {
    throw forbidden(pods, name, `no PriorityClass with name ${spec.priorityClassName} was found`)
  }
  const { value, policy } = found
  if (found.name !== '') spec.priorityClassName = found.name
  if (spec.priority !== undefined && spec.priority !== value) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`
    throw forbidden(pods, name, why)
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`
    throw forbidden(pods, name, why)
  }
  spec.priority = value
  spec.preemptionPolicy = policy
}

type Priority = { readonly name: string; readonly value: number; readonly policy: string }

function priorityOf({ priorityClassName: name = '' }: PodSpec, api: Api): Priority | undefined {
  const found = name === '' ? defaultPriority(api) : api.store.get(priorityClasses, name)
  if (found !== undefined) {
    return { name: found.metadata.name, value: Number(found['value']), policy: text(found, 'preemptionPolicy') }
  }
  // The admission of Kubernetes knows the classes of the system even if an operator deletes them.
  const own = systemPriorities.find(({ metadata }) => metadata.name === name)
  if (name !== '' && own === undefined) return undefined
  return { name, value: own?.value ?? 0, policy: 'PreemptLowerPriority' }
}

/** Adds the overhead, the node selector and the tolerations of the pod's RuntimeClass. */
export function admitRuntime(spec: PodSpec, name: string, api: Api): void {
  if (spec.runtimeClassName === undefined) return
  const found = api.store.get(runtimeClasses, spec.runtimeClassName)
  if (found === undefined) {
    throw forbidden(pods, name, `pod rejected: RuntimeClass "${spec.runtimeClassName}" not found`)
  }
  const overhead = overheadOf(found)
  if (overhead !== undefined) {
    if (spec.overhead !== undefined && !sameJson(spec.overhead, overhead)) throw otherOverhead(name)
    spec.overhead = { ...overhead }
  }
  for (const [key, value] of Object.entries(objectAt(found, 'scheduling', 'nodeSelector'))) {
    const own = spec.nodeSelector?.[key]
    if (own !== undefined && own !== value) {
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`
      throw forbidden(pods, name, why)
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: String(value) }
  }
  const tolerations = list(found, 'scheduling', 'tolerations') as readonly Toleration[]
  const more = tolerations.filter((one) => !(spec.tolerations ?? []).some((known) => sameJson(known, one)))
  if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more]
}

/** Throws the 403 for a pod whose overhead does not come from its RuntimeClass. */
export function checkOverhead(spec: PodSpec, name: string, api: Api): void {
  const found = spec.runtimeClassName === undefined ? undefined : api.store.get(runtimeClasses, spec.runtimeClassName)
  const overhead = found && overheadOf(found)
  if (overhead !== undefined && !sameJson(spec.overhead, overhead)) throw otherOverhead(name)
  if (overhead !== undefined || spec.overhead === undefined) return
  const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
  throw forbidden(pods, name, why)
}

function otherOverhead(name: string): Error {
  return forbidden(pods, name, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function overheadOf(runtimeClass: StoredObject): Quantities | undefined {
  const overhead = field(runtimeClass, 'overhead')
  return isObject(overhead) ? (objectAt(overhead, 'podFixed') as Quantities) : undefined
}
