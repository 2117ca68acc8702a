// Objects of a kind that a CustomResourceDefinition defines: validated by their schema, with a separate status if the
// definition has one.
import type { Api } from '../api.ts'
import type { Draft } from '../draft.ts'
import { forbidden } from '../errors.ts'
import type { FieldError } from '../field-error.ts'
import { sameJson } from '../json.ts'
import { type Kind, schemaOf } from '../kinds.ts'
import { addDefaults, ownParts } from '../structural/prune.ts'
import { validateValue } from '../structural/validate.ts'
import type { Rules } from './rules.ts'

export function customRules(kind: Kind): Rules {
  const schema = schemaOf(kind)
  const hasStatus = kind.subresources.includes('status')
  const validate = (draft: Draft): readonly FieldError[] =>
    schema === undefined ? [] : validateValue(schema, draft, '')
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
    validate,
    validateUpdate: validate,
    validateStatus: (draft) => {
      const inner = schema?.properties.get('status')
      const errors =
        inner === undefined || draft['status'] === undefined ? [] : validateValue(inner, draft['status'], '')
      return errors.map((error) => ({ ...error, field: error.field === '' ? 'status' : `status.${error.field}` }))
    },
    changesGeneration: (draft, current) => !sameJson(ownParts(draft), ownParts(current)),
  }
}

function refuseWhileTerminating(draft: Draft, kind: Kind, api: Api): void {
  const definition = api.store.get('customresourcedefinitions.apiextensions.k8s.io', kind.resource)
  if (definition?.metadata.deletionTimestamp === undefined) return
  const why = 'create not allowed while custom resource definition is terminating'
  throw forbidden(kind, draft.metadata.name ?? '', why)
}
