// DELETE of one object or a collection. As in Kubernetes, the query counts only if the request has no body:
// `?dryRun=All` with a body, even `{}`, really deletes.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import { badRequest, invalid } from '../api/errors.ts'
import type { Kind } from '../api/kind.ts'
import type { DeleteOptions } from '../api/registry.ts'
import { invalidValue, notSupported } from '../api/values/field-error.ts'
import { isObject, type JsonObject, text } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'
import { type Call, listObject, objectAnswer } from './call.ts'
import { listOptions } from './list-options.ts'
import { optionalObject } from './request-body.ts'
import { isTrue } from './route.ts'

/** The kinds whose DELETE returns the object even if it is gone. */
const returnsObject: readonly string[] = ['pods', 'namespaces', 'serviceaccounts', 'resourcequotas']

export function deleteAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const options = deleteOptions(request)
  const headers = orphanWarning(route.kind, options)
  const { object, gone } = backend.registry.delete(route.kind.resource, route.namespace, route.name, options)
  if (gone && !returnsObject.includes(route.kind.resource)) {
    return jsonAnswer(200, deleted(route.kind, object), headers)
  }
  return objectAnswer(call, 200, object, headers)
}

/** Deletes each selected object as a DELETE of that object would. */
export function deleteCollectionAnswer({ route, backend, request }: Call): Answer {
  const { registry } = backend
  const selectors = listOptions(request.query, 'list')
  const options = deleteOptions(request)
  const items = registry.deleteCollection(route.kind.resource, route.namespace, selectors, options)
  const list = listObject(route, items, { resourceVersion: String(registry.revision()) })
  return jsonAnswer(200, list, orphanWarning(route.kind, options))
}

/**
 * Warns a client that deletes a Job without a propagation policy: the Job's pods remain.
 * Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/batch/job/storage/storage.go
 */
function orphanWarning({ deletion }: Kind, { propagationPolicy }: DeleteOptions): Readonly<Record<string, string>> {
  if (deletion !== 'Orphan' || propagationPolicy !== undefined) return {}
  const remedy =
    'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'
  return { warning: `299 - "child pods are preserved by default when jobs are deleted; ${remedy}"` }
}

function deleted(kind: Kind, object: StoredObject): object {
  const { name, uid } = object.metadata
  const details = { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

function deleteOptions(request: Request): DeleteOptions {
  return readDeleteOptions(optionalObject(request, 'DeleteOptions') ?? fromQuery(request.query))
}

export function readDeleteOptions(given: JsonObject): DeleteOptions {
  const kind = given['kind'] ?? 'DeleteOptions'
  if (kind !== 'DeleteOptions') throw badRequest(`${JSON.stringify(kind)} cannot be handled as DeleteOptions`)
  const grace = given['gracePeriodSeconds']
  if (grace !== undefined && grace !== null && !Number.isInteger(grace)) {
    throw badRequest('gracePeriodSeconds: expected an integer')
  }
  return {
    gracePeriodSeconds: typeof grace === 'number' ? grace : undefined,
    preconditions: preconditionsOf(given['preconditions']),
    propagationPolicy: policyOf(given),
    dryRun: isDryRun(given['dryRun']),
  }
}

function fromQuery(query: Request['query']): JsonObject {
  const { gracePeriodSeconds, propagationPolicy, dryRun } = query
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
    ...(query['orphanDependents'] === undefined ? {} : { orphanDependents: isTrue(query['orphanDependents']) }),
  }
}

/** Reads the preconditions. An empty string is a precondition that no object meets. */
function preconditionsOf(given: unknown): NonNullable<DeleteOptions['preconditions']> {
  if (!isObject(given)) return {}
  const { uid, resourceVersion } = given
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}

function policyOf(given: JsonObject): DeleteOptions['propagationPolicy'] {
  const policy = text(given, 'propagationPolicy')
  const orphan = given['orphanDependents'] ?? undefined
  if (orphan !== undefined && typeof orphan !== 'boolean') {
    throw badRequest('orphanDependents: expected true or false')
  }
  if (policy !== '' && orphan !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set'
    throw invalidOptions(invalidValue('propagationPolicy', policy, why))
  }
  if (policy === '' && orphan === undefined) return undefined
  if (policy === '') return orphan ? 'Orphan' : 'Background'
  if (policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return policy
  throw invalidOptions(notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']))
}

function isDryRun(given: unknown): boolean {
  if (given === undefined || given === null) return false
  const values = Array.isArray(given) ? given : [given]
  const wrong = values.find((value) => value !== 'All')
  if (wrong !== undefined) throw invalidOptions(notSupported('dryRun', values, ['All']))
  return values.length > 0
}

function invalidOptions(error: ReturnType<typeof invalidValue>): Error {
  return invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error])
}
