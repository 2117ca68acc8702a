// SelfSubjectAccessReview: answers whether the caller may do something.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/authorization/selfsubjectaccessreview/rest.go
import { type Answer, jsonAnswer } from '../../lib/http.ts'
import { decode } from '../api/decode.ts'
import { invalid } from '../api/errors.ts'
import { invalidValue } from '../api/field-error.ts'
import { field, text } from '../api/json.ts'
import { authorize } from './authorization.ts'
import type { Call } from './call.ts'
import { requiredObject } from './request-body.ts'
import type { Attributes } from './route.ts'

export const accessReviews = 'selfsubjectaccessreviews.authorization.k8s.io'

export function accessReviewAnswer({ backend, request, route, user }: Call): Answer {
  const review = decode(route.kind, requiredObject(request, route), { fieldValidation: 'Ignore' })
  const { allowed, reason } = authorize(backend.registry, user, attributesOf(review))
  const status = reason === '' ? { allowed } : { allowed, reason }
  return jsonAnswer(201, { ...review, status })
}

/** Returns the action that the review asks about. Throws a 422 unless it names exactly one. */
function attributesOf(review: object): Attributes {
  const resource = field(review, 'spec', 'resourceAttributes')
  const path = field(review, 'spec', 'nonResourceAttributes')
  if (resource !== undefined && path !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes'
    throw refused(invalidValue('spec.nonResourceAttributes', path, why))
  }
  if (path !== undefined) return { is: 'path', verb: text(path, 'verb'), path: text(path, 'path') }
  if (resource === undefined) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw refused(invalidValue('spec.resourceAttributes', null, why))
  }
  return {
    is: 'resource',
    verb: text(resource, 'verb'),
    group: text(resource, 'group'),
    resource: text(resource, 'resource'),
    subresource: text(resource, 'subresource'),
    namespace: text(resource, 'namespace'),
    name: text(resource, 'name'),
  }
}

function refused(error: ReturnType<typeof invalidValue>): Error {
  return invalid({ group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview' }, '', [error])
}
