// Label and field selectors of a list or watch, parsed once into one predicate.
import type { StoredObject } from '../../store/object.ts'
import { badRequest } from '../errors.ts'
import type { Kind } from '../kind.ts'
import type { Selectors } from '../registry.ts'
import { parseLabelSelector } from './label-selector.ts'

type Selector = (object: StoredObject) => boolean

/**
 * Returns undefined if everything is selected. Throws a 400 for an invalid selector or a field that is not selectable.
 */
export function parseSelectors(kind: Kind, selectors: Selectors): Selector | undefined {
  const { labelSelector = '', fieldSelector = '' } = selectors
  const byLabels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector)
  const terms = splitTerms(fieldSelector).map((term) => parseTerm(kind, fieldSelector, term))
  if (byLabels === undefined && terms.length === 0) return undefined
  return (object) =>
    (byLabels === undefined || byLabels(object.metadata.labels ?? {})) && terms.every((term) => term(object))
}

/** Returns the fields that a field selector compares, with the value that each must have. */
export function requiredFields(fieldSelector: string): ReadonlyMap<string, string> {
  const terms = splitTerms(fieldSelector).map((term) => readTerm(fieldSelector, term))
  return new Map(terms.flatMap(({ field, isEqual, value }) => (isEqual ? [[field, value]] : [])))
}

/** Splits a field selector at its commas, except escaped ones. */
function splitTerms(text: string): readonly string[] {
  return text === '' ? [] : (text.match(/(?:\\.|[^,\\])+|\\$/g) ?? [text])
}

function parseTerm(kind: Kind, selector: string, term: string): Selector {
  const { field, isEqual, value } = readTerm(selector, term)
  const read = reader(kind, field)
  return isEqual ? (object) => read(object) === value : (object) => read(object) !== value
}

type Term = { readonly field: string; readonly isEqual: boolean; readonly value: string }

function readTerm(selector: string, term: string): Term {
  const [, field = '', operator, raw = ''] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? []
  if (operator === undefined) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`)
  return { field, isEqual: operator !== '!=', value: unescapeValue(raw) }
}

function reader(kind: Kind, field: string): (object: StoredObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name
  if (field === 'metadata.namespace' && (kind.namespaced || !hasOwnFields(kind)))
    return (object) => object.metadata.namespace ?? ''
  const read = Object.hasOwn(kind.selectable, field) ? kind.selectable[field] : undefined
  if (read !== undefined) return read
  if (hasOwnFields(kind)) throw badRequest(`field label not supported: ${field}`)
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
}

/** Returns whether the kind has its own list of selectable fields. All others have name and namespace. */
function hasOwnFields(kind: Kind): boolean {
  return kind.custom || Object.keys(kind.selectable).length > 0
}

function unescapeValue(raw: string): string {
  const bad = /\\(?![\\,=])(.?)/s.exec(raw.replace(/\\[\\,=]/g, ''))
  if (bad !== null) throw badRequest(`invalid field selector: invalid escape sequence: \\${bad[1]}`)
  const bare = /[,=]/.exec(raw.replace(/\\[\\,=]/g, ''))
  if (bare !== null) {
    throw badRequest(`invalid field selector: unescaped character in value: ${bare[0].charCodeAt(0)}`)
  }
  return raw.replace(/\\([\\,=])/g, '$1')
}
