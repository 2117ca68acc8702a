// Keeps `metadata.managedFields` when a client creates, replaces or patches an object.
import { timestamp } from '@dayfly/kit/timestamp'
import type { StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { type Struct, structOf } from '../fields/fields.ts'
import { apiVersionOf, type Kind, storageVersion } from '../kind.ts'
import type { Client } from '../registry.ts'
import { isObject } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
import { kindShape } from './custom-shape.ts'
import { emptySet, type FieldSet, leafSet } from './field-set.ts'
import { afterUpdate, type Manager, printManagers, readManagers, type Writer } from './owners.ts'
import type { SharedSets } from './shared-sets.ts'
import { compare } from './values.ts'

/** Returns the managers of the stored object. Malformed entries count as none. */
export function managersOf(
  object: { readonly metadata: Draft['metadata'] } | undefined,
  sets: SharedSets,
): readonly Manager[] {
  return readManagers(object?.metadata.managedFields ?? [], sets) ?? []
}

export function writerOf(
  kind: Kind,
  client: Client,
  about: { readonly operation: Writer['operation']; readonly subresource: string },
): Writer {
  return { ...about, manager: client.name, apiVersion: apiVersionOf(kind, client.version) }
}

/** The parts of an object that this write does not change. */
export function ignoredFields(kind: Kind, subresource: string): FieldSet {
  if (subresource === '') {
    return kind.subresources.includes('status') ? { ...emptySet, children: new Map([['f:status', leafSet]]) } : emptySet
  }
  const others = ['spec', ...(kind.custom ? ['metadata'] : [])]
  return { ...emptySet, children: new Map(others.map((name) => [`f:${name}`, leafSet])) }
}

/** Returns an object without content. A built-in kind has its required parts, as in Go. */
function emptyObject(kind: Kind): object {
  const struct = kind.custom ? undefined : structOf(kind.kind)
  return struct === undefined ? {} : emptyStruct(struct)
}

function emptyStruct(struct: Struct): object {
  const parts = struct.always.map(({ name, type }) => {
    const inner = type.is === 'struct' ? structOf(type.struct) : undefined
    return [name, inner === undefined ? null : emptyStruct(inner)]
  })
  return Object.fromEntries(parts)
}

type Write = {
  readonly kind: Kind
  readonly client: Client
  readonly subresource: string
  readonly current: StoredObject | undefined
}

/** Writes the managed fields of a complete draft into it, before admission changes it. */
export function trackUpdate(api: Api, draft: Draft, { kind, client, subresource, current }: Write): void {
  const writer = writerOf(kind, client, { operation: 'Update', subresource })
  const given = draft.metadata.managedFields
  const resets = given?.length === 1 && isObject(given[0]) && Object.keys(given[0]).length === 0
  const known = managersOf(current, api.fieldSets)
  const stated = given?.length ? readManagers(given, api.fieldSets) : undefined
  const managers = resets ? [] : (stated ?? known)
  const before = current ?? emptyObject(kind)
  const change = compare(kindShape(kind, storageVersion(kind)), before, draft)
  const ignored = ignoredFields(kind, subresource)
  const next = resets ? [] : afterUpdate(managers, { writer, change, ignored, now: timestamp(api.clock.now()) })
  if (next.length === 0) draft.metadata.managedFields = undefined
  else draft.metadata.managedFields = printManagers(next, api.fieldSets)
}
