// Access reviews: answers whether the caller, or another user, may do something.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/authorization/validation/validation.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { decode } from '../api/decode.ts'
import { badRequest, invalid } from '../api/errors.ts'
import { type FieldError, invalidValue } from '../api/field-error.ts'
import { field, list, text } from '../api/json.ts'
import type { ResourceKey } from '../store/object.ts'
import type { Identity } from './authentication.ts'
import { authorize } from './authorization.ts'
import type { Call } from './call.ts'
import { requiredObject } from './request-body.ts'
import type { Attributes } from './route.ts'

const own = 'selfsubjectaccessreviews.authorization.k8s.io'
const local = 'localsubjectaccessreviews.authorization.k8s.io'

export const accessReviews: readonly ResourceKey[] = [own, local, 'subjectaccessreviews.authorization.k8s.io']

export function accessReviewAnswer({ backend, request, route, user }: Call): Answer {
  const review = decode(route.kind, requiredObject(request, route), { fieldValidation: 'Ignore' })
  const isOwn = route.kind.resource === own
  const problems = [
    ...actionProblems(review),
    ...(isOwn ? [] : subjectProblems(review)),
    ...(route.kind.resource === local ? placeProblems(review) : []),
  ]
  // Kubernetes names the kind in the message only for the caller's own review.
  const kind = isOwn ? 'SelfSubjectAccessReview' : ''
  if (problems.length > 0) throw invalid({ group: 'authorization.k8s.io', kind }, '', problems)
  if (route.namespace !== undefined && text(review, 'metadata', 'namespace') !== route.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${route.namespace}`)
  }
  const { allowed, reason } = authorize(backend.registry, isOwn ? user : subjectOf(review), attributesOf(review))
  const status = reason === '' ? { allowed } : { allowed, reason }
  return jsonAnswer(201, { ...review, status })
}

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

function subjectProblems(review: object): readonly FieldError[] {
  const user = text(review, 'spec', 'user')
  if (user !== '' || list(review, 'spec', 'groups').length > 0) return []
  return [invalidValue('spec.user', user, 'at least one of user or group must be specified')]
}

/** A local review is about its own namespace. */
function placeProblems(review: object): readonly FieldError[] {
  const [path, namespace] = [
    field(review, 'spec', 'nonResourceAttributes'),
    text(review, 'spec', 'resourceAttributes', 'namespace'),
  ]
  if (path !== undefined) {
    return [invalidValue('spec.nonResourceAttributes', path, 'disallowed on this kind of request')]
  }
  if (namespace === text(review, 'metadata', 'namespace')) return []
  return [invalidValue('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace')]
}

function subjectOf(review: object): Identity {
  return { name: text(review, 'spec', 'user'), groups: list(review, 'spec', 'groups').map(String) }
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
