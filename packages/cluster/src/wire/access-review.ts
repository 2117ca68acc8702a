// Access reviews: answers whether the caller may do something.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/authorization/validation/validation.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { invalid } from '../api/errors.ts'
import { type FieldError, invalidValue } from '../api/values/field-error.ts'
import { field, text } from '../api/values/json.ts'
import { decode } from '../api/verbs/decode.ts'
import { authorize } from './authorization.ts'
import type { Call } from './call.ts'
import { notAcceptable } from './negotiation.ts'
import { requiredObject } from './request-body.ts'
import type { Attributes } from './route.ts'

export const accessReviews = 'selfsubjectaccessreviews.authorization.k8s.io'

export function accessReviewAnswer({ backend, request, route, user, accepted }: Call): Answer {
  if (accepted !== 'json') throw notAcceptable(noMetadata)
  const review = decode(route.kind, requiredObject(request, route), { fieldValidation: 'Ignore' })
  const problems = actionProblems(review)
  if (problems.length > 0) throw invalid(route.kind, '', problems)
  const { allowed, reason } = authorize(backend.registry, user, attributesOf(review))
  const status = reason === '' ? { allowed } : { allowed, reason }
  return jsonAnswer(201, { ...review, status })
}

/** A review has no metadata, and is never listed. */
const noMetadata = 'the server was unable to respond with a content type that the client supports'

/** A review names exactly one action. */
function actionProblems(review: object): readonly FieldError[] {
  const resource = field(review, 'spec', 'resourceAttributes')
  const path = field(review, 'spec', 'nonResourceAttributes')
  if (resource !== undefined && path !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes'
    return [invalidValue('spec.nonResourceAttributes', path, why)]
  }
  if (resource !== undefined || path !== undefined) return []
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalidValue('spec.resourceAttributes', null, why)]
}

function attributesOf(review: object): Attributes {
  const resource = field(review, 'spec', 'resourceAttributes')
  const path = field(review, 'spec', 'nonResourceAttributes')
  if (path !== undefined) return { is: 'path', verb: text(path, 'verb'), path: text(path, 'path') }
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
