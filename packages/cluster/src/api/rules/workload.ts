// Deployments and ReplicaSets: their defaults, and the validation of what their controllers read.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/apps/v1/defaults.go
// and https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/apps/validation/validation.go
import type { StoredObject } from '../../store/object.ts'
import type { Profile } from '../api.ts'
import { type FieldError, invalidValue, notSupported, required } from '../values/field-error.ts'
import { field, isObject, type JsonObject, objectAt, sameJson } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
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

/** A template that no controller reads. Clients keep it for the pods that they make. */
export const podTemplateRules: Rules = {
  fill: (draft) => {
    const template = draft['template']
    if (!isObject(template)) return
    const spec = specOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: template['spec'] })
    fillTemplateSpec(spec)
    draft['template'] = { ...template, spec }
  },
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
  for (const error of validatePodSpec(spec, profile)) errors.push({ ...error, field: `spec.template.${error.field}` })
  if (spec.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', spec.restartPolicy, ['Always']))
  }
  return errors
}

function podSpecOf(draft: Draft): PodSpec {
  const spec = field(draft, 'spec', 'template', 'spec')
  return specOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec })
}
