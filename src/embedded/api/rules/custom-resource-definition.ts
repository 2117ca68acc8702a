// CustomResourceDefinitions: what they must say, and what of them this API server does not do and so refuses.
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../field-error.ts'
import { field, isObject, type JsonObject, sameJson } from '../json.ts'
import { dnsNameProblems, dnsSubdomainProblems } from '../names.ts'
import { validateSchema } from '../structural/validate-schema.ts'
import { timestamp } from '../time.ts'
import type { Rules } from './rules.ts'

/** Holds a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

export const definitionRules: Rules = {
  fill: (draft) => {
    const spec = part(draft, 'spec')
    const names = part(spec, 'names')
    const kind = text(names, 'kind')
    draft['spec'] = {
      ...spec,
      conversion: spec['conversion'] ?? { strategy: 'None' },
      names: {
        ...names,
        singular: text(names, 'singular') || kind.toLowerCase(),
        listKind: text(names, 'listKind') || `${kind}List`,
      },
    }
  },
  prepare: (draft, api) => {
    draft.metadata.generation = 1
    draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), cleanupFinalizer]
    draft['status'] = establishedStatus(draft, timestamp(api.clock.now()))
  },
  prepareUpdate: (draft, current, api) => {
    if (!sameJson(draft['spec'], current['spec']))
      draft['status'] = establishedStatus(draft, timestamp(api.clock.now()))
  },
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
  validate: validateDefinition,
  validateUpdate: (draft, current) => {
    const errors = ['group', 'scope', 'names.kind', 'names.plural'].flatMap((name) => {
      const path = name.split('.')
      const [next, known] = [field(draft, 'spec', ...path), field(current, 'spec', ...path)]
      return next === known ? [] : [invalidValue(`spec.${name}`, next, 'field is immutable')]
    })
    return [...errors, ...validateDefinition(draft)]
  },
}

/** Names are accepted and served at once: there is nobody to agree with. */
function establishedStatus(draft: Draft, now: string): JsonObject {
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    lastTransitionTime: now,
    message,
    reason,
    status: 'True',
    type,
  })
  return {
    acceptedNames: part(part(draft, 'spec'), 'names'),
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: versionsOf(draft)
      .filter((version) => version['storage'] === true)
      .map((version) => version['name']),
  }
}

function validateDefinition(draft: Draft): readonly FieldError[] {
  const spec = part(draft, 'spec')
  const names = part(spec, 'names')
  const [group, plural] = [text(spec, 'group'), text(names, 'plural')]
  const errors: FieldError[] = []
  if (draft.metadata.name !== `${plural}.${group}`) {
    errors.push(invalidValue('metadata.name', draft.metadata.name, 'must be spec.names.plural+"."+spec.group'))
  }
  if (group === '') errors.push(required('spec.group'))
  else if (dnsSubdomainProblems(group).length > 0) {
    errors.push(invalidValue('spec.group', group, dnsSubdomainProblems(group).join(',')))
  } else if (!group.includes('.'))
    errors.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'))
  const scope = text(spec, 'scope')
  if (scope === '') errors.push(required('spec.scope'))
  else if (!['Cluster', 'Namespaced'].includes(scope)) {
    errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']))
  }
  errors.push(...validateVersions(draft), ...validateNames(names))
  const strategy = field(spec, 'conversion', 'strategy')
  if (strategy !== 'None') {
    const why = `conversion by ${String(strategy)} is not supported by the embedded cluster: only None is`
    errors.push(notAllowed('spec.conversion.strategy', why))
  }
  return errors
}

function validateVersions(draft: Draft): readonly FieldError[] {
  const versions = versionsOf(draft)
  const errors = versions.flatMap((version, index) => validateVersion(version, `spec.versions[${index}]`))
  if (new Set(versions.map((version) => version['name'])).size < versions.length) {
    errors.push(invalidValue('spec.versions', versions, 'must contain unique version names'))
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    errors.push(invalidValue('spec.versions', versions, 'must have exactly one version marked as storage version'))
  }
  return errors
}

function validateVersion(version: JsonObject, at: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const name = text(version, 'name')
  const problems = dnsNameProblems(name)
  if (problems.length > 0) errors.push(invalidValue(`${at}.name`, name, problems.join(',')))
  const schema = field(version, 'schema', 'openAPIV3Schema')
  const path = `${at}.schema.openAPIV3Schema`
  if (isObject(schema)) errors.push(...validateSchema(schema, path))
  else errors.push(required(path))
  if (field(version, 'subresources', 'scale') !== undefined) {
    const why = 'the scale sub-resource is not supported by the embedded cluster'
    errors.push(notAllowed(`${at}.subresources.scale`, why))
  }
  const columns = version['additionalPrinterColumns']
  for (const [index, column] of (Array.isArray(columns) ? columns : []).entries()) {
    const where = `${at}.additionalPrinterColumns[${index}]`
    for (const name of ['name', 'jsonPath']) if (text(column, name) === '') errors.push(required(`${where}.${name}`))
    if (!columnTypes.includes(text(column, 'type'))) {
      errors.push(invalidValue(`${where}.type`, text(column, 'type'), `must be one of ${columnTypes.join(',')}`))
    }
  }
  return errors
}

function validateNames(names: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['plural', 'singular', 'kind', 'listKind']) {
    const value = text(names, name)
    const mixed = name === 'kind' || name === 'listKind'
    const problems = value === '' ? [] : dnsNameProblems(mixed ? value.toLowerCase() : value)
    if (value === '') errors.push(required(`spec.names.${name}`))
    else if (problems.length > 0) {
      const why = `${mixed ? 'may have mixed case, but should otherwise match: ' : ''}${problems.join(',')}`
      errors.push(invalidValue(`spec.names.${name}`, value, why))
    }
  }
  if (names['kind'] !== undefined && names['kind'] === names['listKind']) {
    errors.push(invalidValue('spec.names.listKind', names['listKind'], 'kind and listKind may not be the same'))
  }
  return errors
}

export function versionsOf(definition: object): readonly JsonObject[] {
  const versions = field(definition, 'spec', 'versions')
  return Array.isArray(versions) ? versions.filter(isObject) : []
}

function part(of: object, name: string): JsonObject {
  const value = field(of, name)
  return isObject(value) ? value : {}
}

function text(of: unknown, name: string): string {
  const value = field(of, name)
  return typeof value === 'string' ? value : ''
}
