// Events.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/events.go
import { type FieldError, invalidValue, required } from '../values/field-error.ts'
import { text } from '../values/json.ts'
import { qualifiedNameProblems } from '../values/names.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

export const eventRules: Rules = { validate: validateEvent, validateUpdate: validateEvent }

function validateEvent(draft: Draft): readonly FieldError[] {
  const about = text(draft, 'involvedObject', 'namespace')
  const { namespace } = draft.metadata
  const refused = [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
  if (draft['eventTime'] === undefined) {
    return about === namespace || (about === '' && namespace === 'default') ? [] : refused
  }
  // Newer recorders set the time and may report on objects of other namespaces.
  const isPlaced = about !== '' || namespace === 'default' || namespace === 'kube-system'
  const controller = text(draft, 'reportingComponent')
  return [
    ...(isPlaced ? [] : refused),
    ...(controller === '' ? [required('reportingComponent')] : []),
    ...qualifiedNameProblems(controller).map((problem) => invalidValue('reportingComponent', controller, problem)),
    ...validateText(draft, 'reportingInstance', 128),
    ...validateText(draft, 'action', 128),
    ...validateText(draft, 'reason', 128),
    ...(text(draft, 'message').length > 1024 ? [tooLong('message', 1024)] : []),
  ]
}

function validateText(draft: Draft, name: string, most: number): readonly FieldError[] {
  const given = text(draft, name)
  if (given === '') return [required(name)]
  return given.length > most ? [tooLong(name, most)] : []
}

function tooLong(name: string, most: number): FieldError {
  return invalidValue(name, '', `can have at most ${most} characters`)
}
