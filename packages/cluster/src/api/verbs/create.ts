// POST: creates an object and sets all fields that the server decides.
import { randomName, uuid } from '@dayfly/kit/ids'
import { timestamp } from '@dayfly/kit/timestamp'
import { deepFreeze, keyOf, type ResourceKey, type StoredObject } from '../../store/object.ts'
import { type Api, kindOf } from '../api.ts'
import { trackUpdate } from '../apply/track.ts'
import {
  alreadyExists,
  badRequest,
  internalError,
  invalid,
  nameNotGenerated,
  namespaceTerminating,
  notFound,
} from '../errors.ts'
import type { Kind } from '../kind.ts'
import { admitPodSecurity } from '../pod-security/admit.ts'
import type { Client, RegistryWrite } from '../registry.ts'
import { rulesOf } from '../rules/rulebook.ts'
import { validateMetadata } from '../values/metadata.ts'
import { dnsSubdomainProblems } from '../values/names.ts'
import { refuseTooLarge } from './bounds.ts'
import { decode } from './decode.ts'
import type { Draft } from './draft.ts'

/** The number of names that the server tries for `generateName` before it gives up. */
const nameAttempts = 8

export function create(api: Api, resource: ResourceKey, input: object, options: RegistryWrite): StoredObject {
  const kind = kindOf(api, resource)
  const draft = decode(kind, input, options)
  if (kind.instead !== undefined) {
    options.warn?.(`the embedded cluster stores a ${kind.kind} and starts no pods for it: use ${kind.instead} instead`)
  }
  requireNamespace(api, kind, draft)
  const rules = rulesOf(kind)
  rules.fill?.(draft, api)
  nameObject(api, kind, draft)
  if (options.client !== undefined) track(api, kind, draft, options.client)
  rules.prepare?.(draft, api)
  const errors = [
    ...validateMetadata(draft.metadata, kind, rules.name ?? dnsSubdomainProblems),
    ...(rules.validate?.(draft, api) ?? []),
  ]
  const name = draft.metadata.name ?? ''
  if (errors.length > 0) throw invalid(kind, name, errors)
  admitPodSecurity(api, kind, draft, options.warn)
  rules.admit?.(draft, api)
  api.quotas.admit(kind, draft)
  const existing = api.store.get(resource, keyOf(draft.metadata.namespace, name))
  if (existing !== undefined) throw alreadyExists(kind, name, existing.metadata.deletionTimestamp !== undefined)
  const object = toStored(draft)
  if (options.client !== undefined && options.dryRun !== true) refuseTooLarge(kind, object)
  if (options.dryRun === true) return deepFreeze(object)
  const stored = api.store.put(resource, object)
  api.quotas.count(resource, stored)
  return stored
}

function track(api: Api, kind: Kind, draft: Draft, client: Client): void {
  trackUpdate(api, draft, { kind, client, subresource: '', current: undefined })
}

/** Turns a validated draft into an object: its name, UID and creation time are set. */
export function toStored(draft: Draft): StoredObject {
  const { name = '', uid = '', creationTimestamp = '', ...rest } = draft.metadata
  const metadata: Record<string, unknown> = { name }
  let field: keyof typeof rest
  for (field in rest) if (rest[field] !== undefined) metadata[field] = rest[field]
  metadata['uid'] = uid
  metadata['creationTimestamp'] = creationTimestamp
  return { ...draft, metadata: metadata as StoredObject['metadata'] }
}

function requireNamespace(api: Api, kind: Kind, draft: Draft): void {
  const { namespace, name = '' } = draft.metadata
  if (!kind.namespaced) return
  if (namespace === undefined || namespace === '') throw badRequest('namespace is required')
  const found = api.store.get('namespaces', namespace)
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  if (found.metadata.deletionTimestamp !== undefined) throw namespaceTerminating(kind, name, namespace)
}

/** Sets the metadata that only the server may set, and generates a name if the client gave `generateName` alone. */
function nameObject(api: Api, kind: Kind, draft: Draft): void {
  const { metadata } = draft
  if ((metadata.resourceVersion ?? '') !== '') {
    throw internalError('resourceVersion should not be set on objects to be created')
  }
  // A deleted field would make every later read of the object slow.
  metadata.resourceVersion = undefined
  metadata.deletionTimestamp = undefined
  metadata.deletionGracePeriodSeconds = undefined
  metadata.generation = undefined
  metadata.uid = uuid(api.random)
  metadata.creationTimestamp = timestamp(api.clock.now())
  if ((metadata.name ?? '') !== '' || (metadata.generateName ?? '') === '') return
  const prefix = (metadata.generateName ?? '').slice(0, 58)
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = `${prefix}${randomName(api.random, 5)}`
    if (api.store.get(kind.resource, keyOf(metadata.namespace, metadata.name)) === undefined) return
  }
  throw nameNotGenerated(kind, metadata.name ?? '')
}
