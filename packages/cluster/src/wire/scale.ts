// GET, PUT and PATCH of the scale subresource: the number of replicas of a workload, without the rest.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/apps/deployment/storage/storage.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { badRequest, invalid, notFound, unsupportedMediaType } from '../api/errors.ts'
import { applyMergePatch } from '../api/patch/apply-patch.ts'
import { applyJsonPatch } from '../api/patch/json-patch.ts'
import { invalidValue } from '../api/values/field-error.ts'
import { field, integer, isObject, type JsonObject, objectAt, text } from '../api/values/json.ts'
import { selectorText } from '../api/verbs/label-selector.ts'
import type { StoredObject } from '../store/object.ts'
import type { Call } from './call.ts'
import { mediaType, optionalObject } from './request-body.ts'

export function scaleAnswer(call: Call): Answer {
  const { route, backend } = call
  const object = backend.registry.get(route.kind.resource, route.namespace, route.name)
  if (object === undefined) throw notFound(route.kind, route.name)
  if (route.verb === 'get') return jsonAnswer(200, scaleOf(object))
  const wanted = route.verb === 'patch' ? patched(call, scaleOf(object)) : optionalObject(call.request, 'Scale')
  const replicas = integer(wanted, 'spec', 'replicas')
  if (replicas < 0) {
    const error = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, route.name, [error])
  }
  const version = text(wanted, 'metadata', 'resourceVersion') || object.metadata.resourceVersion
  const metadata = { ...object.metadata, resourceVersion: version }
  const next = { ...object, metadata, spec: { ...objectAt(object, 'spec'), replicas } }
  const dryRun = call.request.query['dryRun'] === 'All'
  return jsonAnswer(200, scaleOf(backend.registry.update(route.kind.resource, next, { dryRun })))
}

function patched({ request }: Call, scale: JsonObject): JsonObject {
  if (request.body.kind !== 'json') throw badRequest('the patch is not valid JSON')
  const { value } = request.body
  if (mediaType(request) === 'application/json-patch+json') {
    const result = applyJsonPatch(scale, value)
    return isObject(result) ? result : {}
  }
  const accepted = ['application/merge-patch+json', 'application/strategic-merge-patch+json']
  if (!accepted.includes(mediaType(request)) || !isObject(value)) {
    const all = ['application/json-patch+json', ...accepted].join(', ')
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${all}`,
    )
  }
  return applyMergePatch(scale, value)
}

function scaleOf(object: StoredObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = selectorText(field(object, 'spec', 'selector'))
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: integer(object, 'spec', 'replicas') },
    status: { replicas: integer(object, 'status', 'replicas'), selector },
  }
}
