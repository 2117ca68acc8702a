// Validates the metadata of every object.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go
import type { ObjectMeta, OwnerReference } from '../../store/object.ts'
import type { Kind } from '../kind.ts'
import type { DraftMeta } from '../verbs/draft.ts'
import { type FieldError, invalidValue, notAllowed, required, tooLong } from './field-error.ts'
import { sameJson } from './json.ts'
import { dnsLabelProblems, labelValueProblems, qualifiedNameProblems } from './names.ts'

const annotationBytesMax = 256 * 1024

/** @param nameProblems the kind's own check of names. */
export function validateMetadata(
  metadata: DraftMeta,
  kind: Kind,
  nameProblems: (name: string) => readonly string[],
): readonly FieldError[] {
  const { namespaced, group } = kind
  const errors: FieldError[] = []
  const { name = '', generateName = '', namespace = '' } = metadata
  if (generateName !== '') {
    // A prefix may end with a dash, because the server adds a random suffix.
    for (const problem of nameProblems(withoutDashes(generateName))) {
      errors.push(invalidValue('metadata.generateName', generateName, problem))
    }
  }
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else for (const problem of nameProblems(name)) errors.push(invalidValue('metadata.name', name, problem))
  if (!namespaced && namespace !== '') errors.push(notAllowed('metadata.namespace', 'not allowed on this type'))
  if (namespaced && namespace === '') errors.push(required('metadata.namespace'))
  if (namespaced && namespace !== '') {
    for (const problem of dnsLabelProblems(namespace))
      errors.push(invalidValue('metadata.namespace', namespace, problem))
  }
  return [
    ...errors,
    ...validateLabels(metadata.labels ?? {}, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...validateFinalizers(metadata.finalizers ?? []),
    ...(group === '' ? validateCoreFinalizers(metadata.finalizers ?? []) : []),
  ]
}

function withoutDashes(prefix: string): string {
  let end = prefix.length
  while (prefix.endsWith('-', end)) end--
  return prefix.slice(0, end)
}

/** Validates what an update changes in the metadata. `next` already has the fields that the server keeps. */
export function validateMetadataUpdate(next: DraftMeta, current: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  if (current.deletionTimestamp !== undefined) {
    const known = new Set(current.finalizers ?? [])
    const extra = [...new Set(next.finalizers ?? [])].filter((finalizer) => !known.has(finalizer)).sort()
    if (extra.length > 0) {
      const list = extra.map((finalizer) => JSON.stringify(finalizer)).join(', ')
      const why = 'no new finalizers can be added if the object is being deleted, found new finalizers'
      errors.push(notAllowed('metadata.finalizers', `${why} []string{${list}}`))
    }
  }
  for (const field of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (!sameJson(next[field], current[field])) {
      errors.push(invalidValue(`metadata.${field}`, next[field], 'field is immutable'))
    }
  }
  return errors
}

export function validateLabels(labels: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(field, key, problem))
    for (const problem of labelValueProblems(value)) errors.push(invalidValue(field, value, problem))
  }
  return errors
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    for (const problem of qualifiedNameProblems(key.toLowerCase())) {
      errors.push(invalidValue('metadata.annotations', key, problem))
    }
  }
  if (bytes > annotationBytesMax) errors.push(tooLong('metadata.annotations', annotationBytesMax))
  return errors
}

function validateOwners(owners: readonly OwnerReference[]): readonly FieldError[] {
  const errors: FieldError[] = []
  const field = 'metadata.ownerReferences'
  let controller = ''
  for (const owner of owners) {
    if ((owner.apiVersion ?? '') === '') {
      errors.push(invalidValue(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'))
    }
    for (const part of ['kind', 'name', 'uid'] as const) {
      if ((owner[part] ?? '') === '') errors.push(invalidValue(`${field}.${part}`, '', 'must not be empty'))
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      errors.push(invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner'))
    }
    if (owner.controller !== true) continue
    const name = `${owner.kind}/${owner.name}`
    if (controller === '') controller = name
    // Each message repeats all owners.
    else if (errors.length < 10) {
      const why = 'Only one reference can have Controller set to true. Found "true" in references for'
      errors.push(invalidValue(field, owners, `${why} ${controller} and ${name}`))
    }
  }
  return errors
}

/** Kinds of the core group also require qualified finalizer names. */
function validateCoreFinalizers(finalizers: readonly string[]): readonly FieldError[] {
  const standard = ['kubernetes', 'orphan', 'foregroundDeletion']
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes('/') || standard.includes(finalizer)) return []
    const why = 'name is neither a standard finalizer name nor is it fully qualified'
    return [invalidValue(`metadata.finalizers[${index}]`, finalizer, why)]
  })
}

function validateFinalizers(finalizers: readonly string[]): readonly FieldError[] {
  const field = 'metadata.finalizers'
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalidValue(field, finalizer, problem)),
  )
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set'
    errors.push(invalidValue(field, finalizers, why))
  }
  return errors
}
