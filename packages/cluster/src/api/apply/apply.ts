// Server-side apply: a client sends the fields that it wants to own. The server merges them into the object, removes what the
// client no longer sends, and refuses to take fields that other clients own.
// Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/merge/update.go
import { timestamp } from '@dayfly/kit/timestamp'
import { keyOf, type StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { ApiError, badRequest, invalid, notFound } from '../errors.ts'
import { DecodeError } from '../fields/decode-struct.ts'
import { apiVersionOf, type Kind } from '../kind.ts'
import type { Applied, ObjectName, RegistryWrite } from '../registry.ts'
import { invalidValue } from '../values/field-error.ts'
import { field, isObject, type JsonObject, objectAt, sameJson, text } from '../values/json.ts'
import { refuseHuge } from '../verbs/bounds.ts'
import { create } from '../verbs/create.ts'
import { decodeObject, reportUnknown } from '../verbs/decode.ts'
import type { Draft } from '../verbs/draft.ts'
import { replace } from '../verbs/update.ts'
import { refuseConflicts } from './conflicts.ts'
import { kindShape } from './custom-shape.ts'
import { emptySet, isEmptySet, sameSet, unionOf } from './field-set.ts'
import { isOf, type Manager, owned, printManagers, takeOver } from './owners.ts'
import type { SharedSets } from './shared-sets.ts'
import { ignoredFields, managersOf, writerOf } from './track.ts'
import { abandoned, compare, fieldsOf, merge, misfit, removeFields } from './values.ts'

/** Returns the object, and whether it is new. */
export function apply(
  api: Api,
  kind: Kind,
  order: Applied & { readonly at: ObjectName },
  options: RegistryWrite,
): { readonly object: StoredObject; readonly isNew: boolean } {
  const { at, client, force } = order
  const namespace = kind.namespaced ? at.namespace : undefined
  const current = api.store.get(kind.resource, keyOf(namespace, at.name))
  const { subresource = '' } = options
  const applied: JsonObject = checkConfig(kind, { ...at, namespace }, order, subresource)
  if (current === undefined && subresource !== '') throw notFound(kind, at.name)
  checkIdentity(kind, applied, current)
  const shape = kindShape(kind, client.version)
  const live = current ?? { apiVersion: applied['apiVersion'], kind: kind.kind, metadata: {} }
  const writer = writerOf(kind, client, { operation: 'Apply', subresource })
  const managers = managersOf(current, api.fieldSets)
  const before = managers.find((manager) => isOf(writer, manager))
  const others = managers.filter((manager) => manager !== before)
  const fields = fieldsOf(shape, applied)
  const everyone = unionOf([fields, ...others.map((manager) => manager.fields)])
  const gone = before === undefined ? emptySet : abandoned(shape, before.fields, everyone)
  const merged = removeFields(shape, merge(shape, live, applied), gone)
  const change = compare(shape, live, merged)
  if (!force) refuseConflicts(others, writer, change)
  const own = owned(fields, ignoredFields(kind, subresource))
  const unchanged = before !== undefined && sameSet(before.fields, own) && sameJson(merged, live)
  const self: Manager = { ...writer, fields: own, time: unchanged ? before.time : timestamp(api.clock.now()) }
  const next = [...takeOver(others, writer, change), ...(isEmptySet(own) ? [] : [self])]
  const result = withManagers(isObject(merged) ? merged : {}, next, api.fieldSets)
  refuseHuge(kind, result, { write: { client }, prefix: 'error decoding YAML' })
  if (current === undefined) {
    const { resourceVersion: _, ...metadata } = objectAt(result, 'metadata')
    const made = { ...result, metadata }
    return { object: create(api, kind.resource, made, { ...options, client: undefined }), isNew: true }
  }
  const draft = decodeMerged(kind, result, current, options)
  draft.metadata.managedFields = printManagers(next, api.fieldSets)
  return { object: replace(api, kind, { draft, current }, { ...options, client: undefined }), isNew: false }
}

function withManagers(object: JsonObject, managers: readonly Manager[], sets: SharedSets): JsonObject {
  const { managedFields: _, ...metadata } = objectAt(object, 'metadata')
  const entries = managers.length === 0 ? {} : { managedFields: printManagers(managers, sets) }
  return { ...object, metadata: { ...metadata, ...entries } }
}

/** Returns the applied configuration with its place, without the parts that this write cannot change. */
function checkConfig(kind: Kind, { namespace, name }: ObjectName, { config, client }: Applied, subresource: string) {
  if (!isObject(config)) throw badRequest('error decoding YAML: the body is not an object')
  refuseHuge(kind, config, { write: { client }, prefix: 'error decoding YAML' })
  const type = `${groupVersion(text(config, 'apiVersion'))}, Kind=${text(config, 'kind')}`
  const expected = `${groupVersion(apiVersionOf(kind, client.version))}, Kind=${kind.kind}`
  if (type !== expected) throw badRequest(`invalid object type: ${type}`)
  checkPlace(config, { namespace, name })
  if (field(config, 'metadata', 'managedFields') !== undefined) throw badRequest('metadata.managedFields must be nil')
  const shape = kindShape(kind, client.version)
  const problem = misfit(shape, config)
  if (problem !== undefined) {
    const subject = `(${text(config, 'metadata', 'namespace')}/${name}; ${expected})`
    throw new ApiError(500, undefined, `failed to create typed patch object ${subject}: ${problem}`)
  }
  const own = removeFields(shape, config, ignoredFields(kind, subresource))
  const place = namespace === undefined ? { name } : { namespace, name }
  return { ...(isObject(own) ? own : {}), metadata: { ...objectAt(own, 'metadata'), ...place } }
}

function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
}

function checkPlace(config: JsonObject, { namespace = '', name }: ObjectName): void {
  const named = text(config, 'metadata', 'name')
  if (named === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (named !== name) {
    throw badRequest(`the name of the object (${named}) does not match the name on the URL (${name})`)
  }
  if ((text(config, 'metadata', 'namespace') || namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

function checkIdentity(kind: Kind, applied: JsonObject, current: StoredObject | undefined): void {
  const [uid, name] = [text(applied, 'metadata', 'uid'), text(applied, 'metadata', 'name')]
  if (uid === '' || uid === current?.metadata.uid) return
  const why =
    current === undefined
      ? `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      : `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`
  throw new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${kind.resource} "${name}": ${why}`, {
    name,
    kind: kind.plural,
  })
}

/** Decodes the merged object. A wrong type comes from the applied configuration. */
function decodeMerged(kind: Kind, merged: JsonObject, current: StoredObject, options: RegistryWrite): Draft {
  const refuse = (why: string): Error =>
    invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(merged), why)])
  try {
    return reportUnknown(decodeObject(kind, merged, current), options, refuse)
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
}
