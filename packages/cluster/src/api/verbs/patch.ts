// PATCH: applies a patch to the current object and writes the result like a PUT.
import { keyOf, type StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { badRequest, invalid, notFound } from '../errors.ts'
import { DecodeError } from '../fields/decode-struct.ts'
import type { Kind } from '../kind.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import type { ObjectName, Patch, RegistryWrite } from '../registry.ts'
import { invalidValue } from '../values/field-error.ts'
import { nestsDeeperThan } from '../values/json.ts'
import { depthMax, refuseHuge } from './bounds.ts'
import { decodeObject, reportUnknown } from './decode.ts'
import type { Draft } from './draft.ts'
import { replace } from './update.ts'

type PatchOrder = { readonly change: Patch; readonly options: RegistryWrite }

export function patch(api: Api, kind: Kind, at: ObjectName, { change, options }: PatchOrder): StoredObject {
  const namespace = kind.namespaced ? at.namespace : undefined
  const current = api.store.get(kind.resource, keyOf(namespace, at.name))
  if (current === undefined) throw notFound(kind, at.name)
  if (change.type !== 'json') refuseHuge(kind, change.body, { write: options, prefix: 'error decoding patch' })
  else if (nestsDeeperThan(change.body, depthMax)) throw badRequest('error decoding patch: json: exceeded max depth')
  const patched = applyPatch(change.type, current, change.body, kind)
  refuseHuge(kind, patched, { write: options, prefix: 'error decoding patch' })
  const draft = decodePatched(kind, patched, current, options)
  const { name: given = '', namespace: home } = draft.metadata
  if (given !== at.name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${at.name})`)
  }
  if (home !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return replace(api, kind, { draft, current }, options)
}

/** Decodes the patched object. A wrong type is reported as an invalid patch (422), not as a bad request. */
function decodePatched(kind: Kind, patched: object, current: StoredObject, options: RegistryWrite): Draft {
  const refuse = (why: string): Error =>
    invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patched), why)])
  try {
    const decoded = decodeObject(kind, patched, current)
    return reportUnknown(decoded, options, (problems) => refuse(`strict decoding error: ${problems}`))
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
}
