// Events. Clients of events.k8s.io/v1 must give all fields of the new shape, and may later change only the series.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/events.go
import type { StoredObject } from '../../store/object.ts'
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue, required } from '../field-error.ts'
import { field, integer, isObject, sameJson, size, text } from '../json.ts'
import { qualifiedNameProblems } from '../names.ts'
import type { Rules } from './rules.ts'

/** The fields that have another name in the other shape. */
type Names = { readonly subject: string; readonly controller: string; readonly message: string }

const oldNames: Names = { subject: 'involvedObject', controller: 'reportingComponent', message: 'message' }
const newNames: Names = { subject: 'regarding', controller: 'reportingController', message: 'note' }

export const eventRules: Rules = {
  validate: (draft) => validateCommon(draft, oldNames),
  validateUpdate: (draft) => validateCommon(draft, oldNames),
}

export const newEventRules: Rules = {
  validate: (draft) => [...validateCommon(draft, newNames), ...validateNew(draft)],
  validateUpdate: (draft, current) => [...validateCommon(draft, newNames), ...validateChange(draft, current)],
}

function validateCommon(draft: Draft, names: Names): readonly FieldError[] {
  const about = text(draft, names.subject, 'namespace')
  const { namespace } = draft.metadata
  const refused = [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
  if (draft['eventTime'] === undefined) {
    return about === namespace || (about === '' && namespace === 'default') ? [] : refused
  }
  // Newer recorders set the time and may report on objects of other namespaces.
  const isPlaced = about !== '' || namespace === 'default' || namespace === 'kube-system'
  const controller = text(draft, names.controller)
  return [
    ...(isPlaced ? [] : refused),
    ...(controller === '' ? [required(names.controller)] : []),
    ...qualifiedNameProblems(controller).map((problem) => invalidValue(names.controller, controller, problem)),
    ...validateText(draft, 'reportingInstance', 128),
    ...validateText(draft, 'action', 128),
    ...validateText(draft, 'reason', 128),
    ...(text(draft, names.message).length > 1024 ? [tooLong('message', 1024)] : []),
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

function validateNew(draft: Draft): readonly FieldError[] {
  const type = text(draft, 'type')
  const unset = (name: string): FieldError => invalidValue(name, '', 'needs to be unset')
  return [
    ...validateSeries(draft),
    ...(draft['eventTime'] === undefined ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...(draft['deprecatedFirstTimestamp'] === undefined ? [] : [unset('firstTimestamp')]),
    ...(draft['deprecatedLastTimestamp'] === undefined ? [] : [unset('lastTimestamp')]),
    ...(integer(draft, 'deprecatedCount') === 0 ? [] : [unset('count')]),
    ...(size(draft, 'deprecatedSource') === 0 ? [] : [unset('source')]),
  ]
}

function validateSeries(draft: Draft): readonly FieldError[] {
  const series = draft['series']
  if (!isObject(series)) return []
  return [
    ...(integer(series, 'count') < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(field(series, 'lastObservedTime') === undefined ? [required('series.lastObservedTime')] : []),
  ]
}

/** The fields that no client of the new shape may change, with their names in messages. */
const immutable = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const

function validateChange(draft: Draft, current: StoredObject): readonly FieldError[] {
  const changed = immutable.filter(([name]) => !sameJson(draft[name], current[name]))
  return [
    ...(sameJson(draft['series'], current['series']) ? [] : validateSeries(draft)),
    ...changed.map(([name, shown]) => invalidValue(shown, draft[name], 'field is immutable')),
  ]
}
