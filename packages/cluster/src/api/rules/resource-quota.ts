// ResourceQuotas: the names and amounts in their spec, and their scopes. quota/quotas.ts enforces them.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import type { StoredObject } from '../../store/object.ts'
import { amountsOf } from '../values/amounts.ts'
import { type FieldError, invalidValue, required } from '../values/field-error.ts'
import { field, list, objectAt, sameJson, text } from '../values/json.ts'
import type { Quantity } from '../values/quantity.ts'
import type { Draft } from '../verbs/draft.ts'
import { isWhole, podScopes, quotaNameProblems, scopeLimits } from './resource-names.ts'
import type { Rules } from './rules.ts'

export const quotaRules: Rules = {
  prepare: (draft) => {
    draft['status'] = {}
  },
  validate: validateQuota,
  validateUpdate: (draft, current) => [...validateQuota(draft), ...validateSameScopes(draft, current)],
  validateStatus: (draft) => [
    ...validateAmounts(objectAt(draft, 'status', 'hard'), 'status.hard'),
    ...validateAmounts(objectAt(draft, 'status', 'used'), 'status.used'),
  ],
}

function validateQuota(draft: Draft): readonly FieldError[] {
  const hard = objectAt(draft, 'spec', 'hard')
  return [
    ...validateAmounts(hard, 'spec.hard'),
    ...validateScopes(draft, Object.keys(hard)),
    ...validateSelector(draft, Object.keys(hard)),
  ]
}

function validateAmounts(hard: object, at: string): readonly FieldError[] {
  return [...amountsOf(hard)].flatMap(([name, amount]) => {
    const place = `${at}[${name}]`
    const problems = quotaNameProblems(name).map((problem) => invalidValue(place, name, problem))
    return [...problems, ...validateAmount(name, amount, place)]
  })
}

function validateAmount(name: string, { nano, text: shown }: Quantity, place: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (nano < 0n) errors.push(invalidValue(place, shown, 'must be greater than or equal to 0'))
  if (isWhole(name) && nano % 1_000_000_000n !== 0n) errors.push(invalidValue(place, shown, 'must be an integer'))
  return errors
}

const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

function validateScopes(draft: Draft, names: readonly string[]): readonly FieldError[] {
  const scopes = list(draft, 'spec', 'scopes').map(String)
  const refuse = (why: string): FieldError => invalidValue('spec.scopes', scopes, why)
  const errors = scopes.flatMap((scope) => [
    ...(podScopes.includes(scope) ? [] : [refuse('unsupported scope')]),
    ...names.filter((name) => !scopeLimits(scope, name)).map(() => refuse('unsupported scope applied to resource')),
  ])
  return [...errors, ...conflicts(scopes).map(() => refuse('conflicting scopes'))]
}

function conflicts(scopes: readonly string[]): readonly (readonly string[])[] {
  return opposites.filter((pair) => pair.every((scope) => scopes.includes(scope)))
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

function validateSelector(draft: Draft, names: readonly string[]): readonly FieldError[] {
  const selector = field(draft, 'spec', 'scopeSelector')
  const at = 'spec.scopeSelector.matchExpressions'
  const expressions = list(selector, 'matchExpressions')
  const errors = expressions.flatMap((expression) => {
    const scope = text(expression, 'scopeName')
    return [
      ...(podScopes.includes(scope) ? [] : [invalidValue(`${at}.scopeName`, scope, 'unsupported scope')]),
      ...names
        .filter((name) => !scopeLimits(scope, name))
        .map(() => invalidValue(at, selector, 'unsupported scope applied to resource')),
      ...validateOperator(scope, expression, at),
    ]
  })
  const scopes = expressions.map((expression) => text(expression, 'scopeName'))
  const plain = list(draft, 'spec', 'scopes')
  return [...errors, ...conflicts(scopes).map(() => invalidValue(at, plain, 'conflicting scopes'))]
}

function validateOperator(scope: string, expression: unknown, at: string): readonly FieldError[] {
  const [operator, values] = [text(expression, 'operator'), list(expression, 'values')]
  const errors: FieldError[] = []
  const hasNames = scope === 'PriorityClass' || scope === 'VolumeAttributesClass'
  if (podScopes.includes(scope) && !hasNames && operator !== 'Exists') {
    errors.push(invalidValue(`${at}.operator`, operator, onlyExists))
  }
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    if (values.length === 0) errors.push(required(`${at}.values`, why))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    if (values.length > 0) errors.push(invalidValue(`${at}.values`, values, why))
  } else errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'))
  return errors
}

function validateSameScopes(draft: Draft, current: StoredObject): readonly FieldError[] {
  const [next, known] = [draft, current].map((quota) => [...list(quota, 'spec', 'scopes')].sort())
  if (sameJson(next, known)) return []
  return [invalidValue('spec.scopes', list(draft, 'spec', 'scopes'), 'field is immutable')]
}
