// Objects of a kind that a CustomResourceDefinition defines: validated by their schema, with a separate status if the
// definition has one.
import type { StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { forbidden } from '../errors.ts'
import { type Kind, ruleTreeOf, schemaOf } from '../kind.ts'
import type { RuleTree } from '../structural/cel/rule-tree.ts'
import { validateRules } from '../structural/cel/validate-rules.ts'
import { addDefaults, ownParts } from '../structural/prune.ts'
import { validateValue } from '../structural/validate.ts'
import { type FieldError, invalidValue } from '../values/field-error.ts'
import { sameJson } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

export function customRules(kind: Kind): Rules {
  const schema = schemaOf(kind)
  const hasStatus = kind.subresources.includes('status')
  const rules = ruleTreeOf(kind)
  const validate = (draft: Draft, old?: Draft | StoredObject): readonly FieldError[] => {
    const errors = schema === undefined ? [] : validateValue(schema, draft, '')
    return withRules(rules, errors, draft, old)
  }
  return {
    fill: (draft) => {
      if (schema !== undefined) addDefaults(schema, draft)
    },
    prepare: (draft, api) => {
      refuseWhileTerminating(draft, kind, api)
      if (hasStatus) delete draft['status']
      draft.metadata.generation = 1
    },
    // A write of the status may not change the metadata.
    prepareStatus: (draft, current) => {
      draft.metadata = { ...current.metadata }
    },
    validate: (draft) => validate(draft),
    validateUpdate: (draft, current) => validate(draft, current),
    validateStatus: (draft, current) => {
      const inner = schema?.properties.get('status')
      const errors =
        inner === undefined || draft['status'] === undefined ? [] : validateValue(inner, draft['status'], '')
      const located = errors.map((error) => ({
        ...error,
        field: error.field === '' ? 'status' : `status.${error.field}`,
      }))
      return withRules(rules, located, draft, current)
    },
    changesGeneration: (draft, current) => !sameJson(ownParts(draft), ownParts(current)),
  }
}

/** The errors after which Kubernetes does not evaluate rules. */
const blocking = /^(Unsupported value|Required value|Too long|Too many|FieldValueTypeInvalid)/

/** Adds the broken rules of `x-kubernetes-validations`, unless the object is too invalid to evaluate them. */
function withRules(
  tree: RuleTree | undefined,
  errors: readonly FieldError[],
  value: unknown,
  old: unknown,
): readonly FieldError[] {
  if (tree === undefined) return errors
  if (!errors.some(({ reason, body }) => blocking.test(body) || blocking.test(reason))) {
    return [...errors, ...validateRules(tree, value, old)]
  }
  const why =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...errors, invalidValue('<nil>', null, why)]
}

function refuseWhileTerminating(draft: Draft, kind: Kind, api: Api): void {
  const definition = api.store.get('customresourcedefinitions.apiextensions.k8s.io', kind.resource)
  if (definition?.metadata.deletionTimestamp === undefined) return
  const why = 'create not allowed while custom resource definition is terminating'
  throw forbidden(kind, draft.metadata.name ?? '', why)
}
