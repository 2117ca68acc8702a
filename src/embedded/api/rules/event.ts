// Events stand in the namespace of what they are about; those about cluster-wide objects in `default`.
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue } from '../field-error.ts'
import { field } from '../json.ts'
import type { Rules } from './rules.ts'

export const eventRules: Rules = { validate: validateEvent, validateUpdate: validateEvent }

function validateEvent(draft: Draft): readonly FieldError[] {
  const about = field(draft, 'involvedObject', 'namespace') ?? ''
  const { namespace } = draft.metadata
  // Newer recorders set eventTime and may write about others' namespaces.
  if (draft['eventTime'] !== undefined && about !== '') return []
  if (about === namespace || (about === '' && namespace === 'default')) return []
  return [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}
