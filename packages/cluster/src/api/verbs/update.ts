// PUT: replaces an object, or its status alone.
import { deepFreeze, keyOf, type ObjectMeta, type ResourceKey, type StoredObject } from '../../store/object.ts'
import { type Api, kindOf } from '../api.ts'
import { trackUpdate } from '../apply/track.ts'
import { badRequest, conflict, invalid, methodNotAllowed, modified, notFound } from '../errors.ts'
import type { Kind } from '../kind.ts'
import { admitPodSecurity } from '../pod-security/admit.ts'
import type { RegistryWrite } from '../registry.ts'
import { awaitsFinalize } from '../rules/namespace.ts'
import { rulesOf } from '../rules/rulebook.ts'
import { invalidValue } from '../values/field-error.ts'
import { field, sameJson } from '../values/json.ts'
import { validateMetadata, validateMetadataUpdate } from '../values/metadata.ts'
import { dnsSubdomainProblems } from '../values/names.ts'
import { refuseTooLarge } from './bounds.ts'
import { create, toStored } from './create.ts'
import { decode } from './decode.ts'
import type { Draft, DraftMeta } from './draft.ts'

export function update(api: Api, resource: ResourceKey, input: object, options: RegistryWrite): StoredObject {
  const kind = kindOf(api, resource)
  const name = field(input, 'metadata', 'name')
  const namespace = kind.namespaced ? field(input, 'metadata', 'namespace') : undefined
  if (typeof name !== 'string' || name === '') throw badRequest('name must be provided')
  const key = keyOf(typeof namespace === 'string' ? namespace : undefined, name)
  const current = api.store.get(resource, key)
  const draft = decode(kind, input, options, current)
  if (current === undefined) {
    if (kind.createOnUpdate && options.subresource === undefined) return create(api, resource, input, options)
    throw notFound(kind, name)
  }
  checkUid(kind, draft, current)
  return replace(api, kind, { draft, current }, options)
}

/** Writes a decoded draft over the current object. */
export function replace(
  api: Api,
  kind: Kind,
  { draft, current }: { readonly draft: Draft; readonly current: StoredObject },
  options: RegistryWrite,
): StoredObject {
  checkVersion(kind, draft, current)
  const next = toStored(completeDraft(api, kind, draft, { current, options }))
  if (endsDeletion(next, current)) {
    if (options.dryRun !== true) api.store.remove(kind.resource, keyOf(next.metadata.namespace, next.metadata.name))
    return deepFreeze(next)
  }
  if (sameJson(next, current)) return current
  if (options.dryRun === true) return deepFreeze(next)
  if (options.client !== undefined) refuseTooLarge(kind, next)
  return api.store.put(kind.resource, next)
}

/**
 * Returns whether this write removes the last finalizer of an object that is being deleted, and so removes the object.
 */
function endsDeletion(next: StoredObject, current: StoredObject): boolean {
  if (current.metadata.deletionTimestamp === undefined) return false
  if ((next.metadata.finalizers ?? []).length > 0 || awaitsFinalize(next)) return false
  return (current.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

/** Refuses a PUT whose UID is not the stored object's. */
function checkUid(kind: Kind, draft: Draft, current: StoredObject): void {
  const { uid = '' } = draft.metadata
  const { name, namespace, uid: known } = current.metadata
  if (uid === '' || uid === known) return
  const key = `/registry/${kind.custom ? `${kind.group}/` : ''}${kind.plural}/${keyOf(namespace, name)}`
  const failed = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known}`
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`
  throw conflict({ group: kind.group, kind: kind.plural }, name, why)
}

function checkVersion(kind: Kind, draft: Draft, current: StoredObject): void {
  const { resourceVersion = '', name = '' } = draft.metadata
  if (resourceVersion === '') {
    if (kind.unconditionalUpdate) return
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group: kind.group, kind: kind.plural }, name, [error])
  }
  if (resourceVersion !== current.metadata.resourceVersion) throw modified(kind, name)
}

type Target = { readonly current: StoredObject; readonly options: RegistryWrite }

/** Adds the fields that the server keeps to the draft, and validates it. */
function completeDraft(api: Api, kind: Kind, draft: Draft, { current, options }: Target): Draft {
  const rules = rulesOf(kind)
  const { subresource, client } = options
  const track = (): void => {
    if (client === undefined) keepOwners(draft, current)
    else trackUpdate(api, draft, { kind, client, subresource: subresource ?? '', current })
  }
  keepMetadata(draft, current)
  if (subresource === 'status') {
    if (!kind.subresources.includes('status')) throw methodNotAllowed(kind, 'update')
    keepAllButStatus(draft, current)
    track()
    const { managedFields } = draft.metadata
    rules.prepareStatus?.(draft, current)
    draft.metadata.managedFields = managedFields
  } else if (subresource === 'finalize') {
    if (!kind.subresources.includes('finalize')) throw methodNotAllowed(kind, 'update')
    keep(draft, current, 'status')
    track()
  } else {
    if (draft['spec'] === undefined || draft['spec'] !== current['spec']) rules.fill?.(draft, api)
    if (kind.subresources.includes('status')) keep(draft, current, 'status')
    track()
    rules.prepareUpdate?.(draft, current, api)
    const changes = rules.changesGeneration?.(draft, current) ?? false
    if (changes) draft.metadata.generation = (current.metadata.generation ?? 0) + 1
  }
  const errors = [
    // The parts that the stored object has were validated when it was stored.
    ...(sharesMetadata(draft.metadata, current.metadata)
      ? []
      : validateMetadata(draft.metadata, kind, rules.name ?? dnsSubdomainProblems)),
    ...validateMetadataUpdate(draft.metadata, current.metadata),
    ...(subresource === 'status'
      ? (rules.validateStatus?.(draft, current, api) ?? [])
      : (rules.validateUpdate?.(draft, current, api) ?? [])),
  ]
  if (errors.length > 0) throw invalid(kind, current.metadata.name, errors)
  if (subresource === undefined) {
    // The part of a pod that the levels judge never changes.
    if (kind.resource !== 'pods') admitPodSecurity(api, kind, draft, options.warn)
    rules.admit?.(draft, api, current)
    api.quotas.admit(kind, draft, current)
  }
  return draft
}

/** The parts of the metadata that `validateMetadata` looks at. */
const validated = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
] as const

function sharesMetadata(next: DraftMeta, current: ObjectMeta): boolean {
  return validated.every((part) => next[part] === current[part])
}

/** Keeps the fields that the server owns. A deletion cannot be undone. */
function keepMetadata(draft: Draft, current: StoredObject): void {
  const { metadata } = draft
  const kept = current.metadata
  metadata.uid ||= kept.uid
  metadata.resourceVersion = kept.resourceVersion
  metadata.creationTimestamp = kept.creationTimestamp
  metadata.generation = kept.generation
  metadata.deletionTimestamp = kept.deletionTimestamp ?? metadata.deletionTimestamp
  metadata.deletionGracePeriodSeconds ??= kept.deletionGracePeriodSeconds
}

/** Keeps the owners of fields, unless the write sets them itself. */
function keepOwners({ metadata }: Draft, current: StoredObject): void {
  metadata.managedFields ??= current.metadata.managedFields
  if (metadata.managedFields?.length === 0) metadata.managedFields = undefined
}

function keepAllButStatus(draft: Draft, current: StoredObject): void {
  for (const part of new Set([...Object.keys(draft), ...Object.keys(current)])) {
    if (!['apiVersion', 'kind', 'metadata', 'status'].includes(part)) keep(draft, current, part)
  }
}

function keep(draft: Draft, current: StoredObject, part: string): void {
  if (current[part] === undefined) delete draft[part]
  else draft[part] = current[part]
}
