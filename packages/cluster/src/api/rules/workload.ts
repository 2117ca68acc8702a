// Deployments, ReplicaSets, DaemonSets and StatefulSets: their defaults, and the validation of what their controllers read.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/apps/v1/defaults.go
// and https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/apps/validation/validation.go
import type { StoredObject } from '../../store/object.ts'
import type { Profile } from '../api.ts'
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../field-error.ts'
import { field, isObject, type JsonObject, objectAt, sameJson } from '../json.ts'
import { fillTemplateSpec } from './pod/pod-defaults.ts'
import { type PodSpec, specOf } from './pod/pod-spec.ts'
import { validatePodSpec } from './pod/validate-pod.ts'
import type { Rules } from './rules.ts'

export const deploymentRules = workloadRules((spec) => ({
  replicas: 1,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  ...spec,
  strategy: rolling(spec['strategy'], { maxUnavailable: '25%', maxSurge: '25%' }),
}))

export const replicaSetRules = workloadRules((spec) => ({ replicas: 1, ...spec }), { replicas: 0 })

const daemonSets = workloadRules(
  (spec) => ({
    revisionHistoryLimit: 10,
    ...spec,
    updateStrategy: rolling(spec['updateStrategy'], { maxUnavailable: 1, maxSurge: 0 }),
  }),
  { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
)

export const daemonSetRules: Rules = {
  ...daemonSets,
  validate: (draft, api) => [...(daemonSets.validate?.(draft, api) ?? []), ...validateDaemonUpdate(draft)],
  validateUpdate: (draft, current, api) => [
    ...(daemonSets.validateUpdate?.(draft, current, api) ?? []),
    ...(draft['spec'] === current['spec'] ? [] : validateDaemonUpdate(draft)),
  ],
}

/** Validates how a DaemonSet replaces its pods. Either pods may be missing, or nodes may have two. */
function validateDaemonUpdate(draft: Draft): readonly FieldError[] {
  const strategy = field(draft, 'spec', 'updateStrategy')
  const type = field(strategy, 'type')
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') return [notSupported('spec.updateStrategy', strategy, ['RollingUpdate', 'OnDelete'])]
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate')
  const at = 'spec.updateStrategy.rollingUpdate'
  const errors = [
    ...validateShare(`${at}.maxUnavailable`, maxUnavailable),
    ...validateShare(`${at}.maxSurge`, maxSurge),
  ]
  const [hasUnavailable, hasSurge] = [maxUnavailable, maxSurge].map((value) => Number.parseInt(String(value), 10) !== 0)
  if (hasUnavailable && hasSurge) {
    errors.push(invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'))
  }
  if (!hasUnavailable && !hasSurge) errors.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  return errors
}

/** Validates a number of pods, or a percentage of them. */
function validateShare(at: string, value: unknown): readonly FieldError[] {
  if (typeof value === 'number') {
    return value >= 0 ? [] : [invalidValue(at, value, 'must be greater than or equal to 0')]
  }
  if (!/^\d+%$/.test(String(value))) {
    const examples = "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
    return [
      invalidValue(at, value, `a valid percent string must be a numeric string followed by an ending '%' ${examples}`),
    ]
  }
  return Number.parseInt(String(value), 10) > 100 ? [invalidValue(at, value, 'must not be greater than 100%')] : []
}

/** The parts of a StatefulSet that may change. */
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

const statefulSets = workloadRules(
  (spec) => ({
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    ...spec,
    updateStrategy: rolling(spec['updateStrategy'], { partition: 0 }),
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
      ...objectAt(spec['persistentVolumeClaimRetentionPolicy']),
    },
  }),
  { replicas: 0, availableReplicas: 0 },
)

export const statefulSetRules: Rules = {
  ...statefulSets,
  validate: (draft, api) => [...validateOrder(draft), ...(statefulSets.validate?.(draft, api) ?? [])],
  validateUpdate: (draft, current, api) => {
    if (draft['spec'] === current['spec']) return []
    const known = objectAt(current['spec'])
    const kept = { ...objectAt(draft['spec']) }
    for (const part of changeable) kept[part] = known[part]
    const quoted = changeable.map((part) => `'${part}'`)
    const names = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
    const why = `updates to statefulset spec for fields other than ${names} are forbidden`
    return [
      ...validateOrder(draft),
      ...validateWorkload(draft, api.profile),
      ...(sameJson(kept, known) ? [] : [notAllowed('spec', why)]),
    ]
  },
}

/** Validates how a StatefulSet orders and replaces its pods. */
function validateOrder(draft: Draft): readonly FieldError[] {
  const spec = objectAt(draft['spec'])
  const policies = ['OrderedReady', 'Parallel']
  const strategies = ['RollingUpdate', 'OnDelete']
  const [policy, strategy] = [spec['podManagementPolicy'], spec['updateStrategy']]
  const problem = (known: readonly string[]): string => `must be '${known[0]}' or '${known[1]}'`
  return [
    ...(policies.some((one) => one === policy)
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, problem(policies))]),
    ...(strategies.some((one) => one === field(strategy, 'type'))
      ? []
      : [invalidValue('spec.updateStrategy', strategy, problem(strategies))]),
    ...atLeastZero(draft, 'updateStrategy', 'rollingUpdate', 'partition'),
    ...atLeastZero(draft, 'ordinals', 'start'),
  ]
}

/** @param status the initial status of a new object. */
function workloadRules(withDefaults: (spec: JsonObject) => JsonObject, status: JsonObject = {}): Rules {
  return {
    fill: (draft) => {
      const template = field(draft, 'spec', 'template')
      if (!isObject(draft['spec']) || !isObject(template)) return
      const spec = podSpecOf(draft)
      fillTemplateSpec(spec)
      draft['spec'] = { ...withDefaults(draft['spec']), template: { ...template, spec } }
    },
    prepare: (draft) => {
      draft.metadata.generation = 1
      draft['status'] = status
    },
    validate: (draft, { profile }) => validateWorkload(draft, profile),
    validateUpdate: (draft, current, { profile }) =>
      draft['spec'] === current['spec']
        ? []
        : [...validateWorkload(draft, profile), ...validateKeptSelector(draft, current)],
    changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
  }
}

function rolling(given: unknown, defaults: JsonObject): JsonObject {
  const strategy = { type: 'RollingUpdate', ...objectAt(given) }
  if (strategy.type !== 'RollingUpdate') return strategy
  return { ...strategy, rollingUpdate: { ...defaults, ...objectAt(field(given, 'rollingUpdate')) } }
}

function validateKeptSelector(draft: Draft, current: StoredObject): readonly FieldError[] {
  const selector = field(draft, 'spec', 'selector')
  if (sameJson(selector, field(current, 'spec', 'selector'))) return []
  return [invalidValue('spec.selector', selector, 'field is immutable')]
}

function atLeastZero(draft: Draft, ...path: readonly string[]): readonly FieldError[] {
  const value = field(draft, 'spec', ...path)
  if (typeof value !== 'number' || value >= 0) return []
  return [invalidValue(`spec.${path.join('.')}`, value, 'must be greater than or equal to 0')]
}

function validateWorkload(draft: Draft, profile: Profile): readonly FieldError[] {
  const spec = podSpecOf(draft)
  const selector = field(draft, 'spec', 'selector')
  const labels = objectAt(field(draft, 'spec', 'template', 'metadata', 'labels'))
  const errors: FieldError[] = ['replicas', 'minReadySeconds'].flatMap((part) => atLeastZero(draft, part))
  if (selector === undefined) errors.push(required('spec.selector'))
  const wanted = Object.entries(objectAt(field(selector, 'matchLabels')))
  if (selector !== undefined && !wanted.every(([key, value]) => labels[key] === value)) {
    const why = '`selector` does not match template `labels`'
    errors.push(invalidValue('spec.template.metadata.labels', labels, why))
  }
  const volumes = [...(spec.volumes ?? []), ...claimedVolumes(draft)]
  for (const error of validatePodSpec({ ...spec, volumes }, profile))
    errors.push({ ...error, field: `spec.template.${error.field}` })
  if (spec.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', spec.restartPolicy, ['Always']))
  }
  return errors
}

/** Returns the volumes that the StatefulSet controller adds to each pod for its claims. */
function claimedVolumes(draft: Draft): NonNullable<PodSpec['volumes']> {
  const claims = field(draft, 'spec', 'volumeClaimTemplates')
  return (Array.isArray(claims) ? claims : []).flatMap((claim) => {
    const name = field(claim, 'metadata', 'name')
    return typeof name === 'string' ? [{ name, persistentVolumeClaim: { claimName: name } }] : []
  })
}

function podSpecOf(draft: Draft): PodSpec {
  const spec = field(draft, 'spec', 'template', 'spec')
  return specOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec })
}
