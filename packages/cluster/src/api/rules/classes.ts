// PriorityClasses and RuntimeClasses.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/scheduling/validation/validation.go
import type { StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { forbidden } from '../errors.ts'
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../values/field-error.ts'
import { field, integer, objectAt, sameJson, text } from '../values/json.ts'
import { validateLabels } from '../values/metadata.ts'
import { dnsLabelProblems } from '../values/names.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Quantities, Toleration } from './pod/pod-spec.ts'
import { validateResources } from './pod/resources.ts'
import { validateTolerations } from './pod/validate-pod.ts'
import type { Rules } from './rules.ts'

export const priorityClasses = 'priorityclasses.scheduling.k8s.io'
export const runtimeClasses = 'runtimeclasses.node.k8s.io'

/** The classes that every cluster has. */
export const systemPriorities = [
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
] as const

const userPriorityMax = 1_000_000_000

export const priorityClassRules: Rules = {
  fill: (draft) => {
    draft['preemptionPolicy'] ??= 'PreemptLowerPriority'
  },
  prepare: (draft) => {
    draft.metadata.generation = 1
  },
  validate: validatePriority,
  validateUpdate: (draft, current) => [
    ...(draft['value'] === current['value'] ? [] : [notAllowed('value', 'may not be changed in an update.')]),
    ...validateSame(draft, current, 'preemptionPolicy'),
  ],
  admit: admitDefault,
}

function validatePriority(draft: Draft): readonly FieldError[] {
  const { name = '' } = draft.metadata
  const [value, policy] = [integer(draft, 'value'), text(draft, 'preemptionPolicy')]
  const policies = ['PreemptLowerPriority', 'Never']
  return [
    ...(name.startsWith('system-') ? validateSystemName(name, value) : []),
    ...(!name.startsWith('system-') && value > userPriorityMax
      ? [notAllowed('value', `maximum allowed value of a user defined priority is ${userPriorityMax}`)]
      : []),
    ...(policies.includes(policy) ? [] : [notSupported('preemptionPolicy', policy, policies)]),
  ]
}

function validateSystemName(name: string, value: number): readonly FieldError[] {
  const known = systemPriorities.find(({ metadata }) => metadata.name === name)
  if (known?.value === value) return []
  const why = known
    ? `value of ${name} PriorityClass must be ${known.value}`
    : `${name} is not a known system priority class`
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error: "
  return [notAllowed('metadata.name', reserved + why)]
}

/** Only one class can be the default. */
function admitDefault(draft: Draft, api: Api): void {
  if (draft['globalDefault'] !== true) return
  const name = draft.metadata.name ?? ''
  const other = defaultPriority(api)
  if (other === undefined || other.metadata.name === name) return
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
  throw forbidden({ group: 'scheduling.k8s.io', plural: 'priorityclasses', kind: 'PriorityClass' }, name, why)
}

/** Returns the class of pods that name none, or undefined if there is no such class. */
export function defaultPriority(api: Api): StoredObject | undefined {
  return api.store.list(priorityClasses).find((known) => known['globalDefault'] === true)
}

export const runtimeClassRules: Rules = {
  validate: validateRuntime,
  validateUpdate: (draft, current) => validateSame(draft, current, 'handler'),
}

function validateRuntime(draft: Draft): readonly FieldError[] {
  const handler = text(draft, 'handler')
  const overhead = objectAt(draft, 'overhead', 'podFixed') as Quantities
  const nodeSelector = objectAt(draft, 'scheduling', 'nodeSelector') as Record<string, string>
  const tolerations = (field(draft, 'scheduling', 'tolerations') ?? []) as readonly Toleration[]
  return [
    ...(handler === ''
      ? [required('handler')]
      : dnsLabelProblems(handler).map((problem) => invalidValue('handler', handler, problem))),
    ...validateResources({ limits: overhead }, 'overhead'),
    ...validateLabels(nodeSelector, 'scheduling.nodeSelector'),
    ...validateTolerations(tolerations, 'scheduling.tolerations'),
  ]
}

function validateSame(draft: Draft, current: StoredObject, name: string): readonly FieldError[] {
  return sameJson(draft[name], current[name]) ? [] : [invalidValue(name, draft[name], 'field is immutable')]
}
