// CustomResourceDefinitions: what they must contain. Features that this API server does not support are refused.
import type { StoredObject } from '../../store/object.ts'
import { validateSchema } from '../structural/validate-schema.ts'
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../values/field-error.ts'
import { field, isObject, type JsonObject, objectAt, sameJson, text } from '../values/json.ts'
import { dnsNameProblems, dnsSubdomainProblems } from '../values/names.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

export const definitionRules: Rules = {
  fill: (draft) => {
    const spec = objectAt(draft, 'spec')
    const names = objectAt(spec, 'names')
    const kind = text(names, 'kind')
    const singular = text(names, 'singular') || kind.toLowerCase()
    const listKind = text(names, 'listKind') || (kind === '' ? '' : `${kind}List`)
    const conversion = spec['conversion'] ?? { strategy: 'None' }
    draft['spec'] = { ...spec, conversion, names: { ...names, singular, listKind } }
  },
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = { acceptedNames: { plural: '', kind: '' }, storedVersions: storedVersions(draft) }
  },
  prepareUpdate: (draft) => {
    draft['status'] = { ...objectAt(draft, 'status'), storedVersions: storedVersions(draft) }
  },
  terminate: (definition, now) => ({
    ...definition,
    metadata: {
      ...definition.metadata,
      finalizers: [...(definition.metadata.finalizers ?? []), cleanupFinalizer],
    },
    status: terminatingStatus(definition, now),
  }),
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

/** Returns the status of a definition whose kind is served. No other definition can claim its names. */
export function establishedStatus(definition: StoredObject, now: string): JsonObject {
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    lastTransitionTime: now,
    message,
    reason,
    status: 'True',
    type,
  })
  return {
    ...objectAt(definition, 'status'),
    acceptedNames: objectAt(objectAt(definition, 'spec'), 'names'),
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  }
}

function terminatingStatus(definition: StoredObject, now: string): JsonObject {
  const status = objectAt(definition, 'status')
  const known = Array.isArray(status['conditions']) ? status['conditions'] : []
  const terminating = {
    lastTransitionTime: now,
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    reason: 'InstanceDeletionPending',
    status: 'True',
    type: 'Terminating',
  }
  return { ...status, conditions: [...known, terminating] }
}

/** Returns the versions in which objects may be stored: all earlier storage versions and the present one. */
function storedVersions(draft: Draft): readonly unknown[] {
  const known = field(draft, 'status', 'storedVersions')
  const now = versionsOf(draft).filter((version) => version['storage'] === true)
  return [...new Set([...(Array.isArray(known) ? known : []), ...now.slice(0, 1).map((version) => version['name'])])]
}

function validateDefinition(draft: Draft): readonly FieldError[] {
  const spec = objectAt(draft, 'spec')
  const names = objectAt(spec, 'names')
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
  if (spec['preserveUnknownFields'] === true) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
    errors.push(invalidValue('spec.preserveUnknownFields', true, why))
  }
  errors.push(...validateVersions(draft), ...validateNames(names))
  const strategy = field(spec, 'conversion', 'strategy')
  if (strategy !== 'None') {
    const why = `strategy ${typeof strategy === 'string' ? strategy : JSON.stringify(strategy)} is not supported by the embedded cluster. Use None`
    errors.push(notAllowed('spec.conversion.strategy', why))
  }
  return errors
}

function validateVersions(draft: Draft): readonly FieldError[] {
  const versions = versionsOf(draft)
  const [first] = versions
  const errors = versions.flatMap((version, index) => validateVersionName(version, `spec.versions[${index}]`))
  // If all versions have the same content, Kubernetes reports its errors once, for the whole definition.
  const shared = first !== undefined && versions.every((version) => sameJson(contentOf(version), contentOf(first)))
  if (shared && isObject(field(first, 'schema', 'openAPIV3Schema'))) {
    errors.push(...validateContent(first, { schema: 'spec.validation.openAPIV3Schema', base: 'spec' }))
  } else {
    for (const [index, version] of versions.entries()) {
      const base = `spec.versions[${index}]`
      errors.push(...validateContent(version, { schema: `${base}.schema.openAPIV3Schema`, base }))
    }
  }
  const names = versions.map((version) => version['name'])
  if (new Set(names).size < names.length) {
    errors.push(invalidValue('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    errors.push(invalidValue('spec.versions', names, 'must have exactly one version marked as storage version'))
  }
  return errors
}

function contentOf(version: JsonObject): readonly unknown[] {
  return [version['schema'], version['subresources'], version['additionalPrinterColumns']]
}

function validateVersionName(version: JsonObject, at: string): readonly FieldError[] {
  const name = text(version, 'name')
  const problems = dnsNameProblems(name)
  return problems.length > 0 ? [invalidValue(`${at}.name`, name, problems.join(','))] : []
}

function validateContent(version: JsonObject, at: { schema: string; base: string }): readonly FieldError[] {
  const errors: FieldError[] = []
  const schema = field(version, 'schema', 'openAPIV3Schema')
  if (isObject(schema)) errors.push(...validateSchema(schema, at.schema))
  else errors.push(required(at.schema))
  if (field(version, 'subresources', 'scale') !== undefined) {
    const why = 'the scale subresource is not supported by the embedded cluster. Remove it, or use another cluster'
    errors.push(notAllowed(`${at.base}.subresources.scale`, why))
  }
  const columns = version['additionalPrinterColumns']
  for (const [index, column] of (Array.isArray(columns) ? columns : []).entries()) {
    const where = `${at.base}.additionalPrinterColumns[${index}]`
    if (text(column, 'name') === '') errors.push(required(`${where}.name`))
    if (!columnTypes.includes(text(column, 'type'))) {
      errors.push(invalidValue(`${where}.type`, text(column, 'type'), `must be one of ${columnTypes.join(',')}`))
    }
    if (text(column, 'jsonPath') === '') errors.push(required(`${where}.JSONPath`))
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
  if (text(names, 'kind') !== '' && names['kind'] === names['listKind']) {
    errors.push(invalidValue('spec.names.listKind', names['listKind'], 'kind and listKind may not be the same'))
  }
  return errors
}

export function versionsOf(definition: object): readonly JsonObject[] {
  const versions = field(definition, 'spec', 'versions')
  return Array.isArray(versions) ? versions.filter(isObject) : []
}
