// An Event is in the namespace of its object. Events about cluster-wide objects are in `default`.
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue } from '../field-error.ts'
import { field } from '../json.ts'
import type { Rules } from './rules.ts'

export const eventRules: Rules = { validate: validateEvent, validateUpdate: validateEvent }

function validateEvent(draft: Draft): readonly FieldError[] {
  const about = field(draft, 'involvedObject', 'namespace') ?? ''
  const { namespace } = draft.metadata
  // Newer recorders set eventTime and may report on objects of other namespaces.
  if (draft['eventTime'] !== undefined && about !== '') return []
  if (about === namespace || (about === '' && namespace === 'default')) return []
  return [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}
