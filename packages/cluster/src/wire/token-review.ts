// TokenReview: answers whose token it is.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/authentication/tokenreview/storage.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { decode } from '../api/decode.ts'
import { badRequest } from '../api/errors.ts'
import { list, text } from '../api/json.ts'
import { apiAudience } from '../api/tokens.ts'
import { identityOf } from './authentication.ts'
import type { Call } from './call.ts'
import { requiredObject } from './request-body.ts'

export const tokenReviews = 'tokenreviews.authentication.k8s.io'

export function tokenReviewAnswer({ backend, request, route }: Call): Answer {
  const review = decode(route.kind, requiredObject(request, route), { fieldValidation: 'Ignore' })
  const token = text(review, 'spec', 'token')
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  return jsonAnswer(201, { ...review, status: statusOf(backend, token, list(review, 'spec', 'audiences').map(String)) })
}

function statusOf({ identify, tokens }: Call['backend'], token: string, asked: readonly string[]): object {
  const audiences = asked.length === 0 ? [apiAudience] : asked
  const name = identify?.(token)
  if (name !== undefined) return { authenticated: true, user: userOf(name), audiences }
  const owner = tokens?.ownerOf(token, audiences)
  if (owner === undefined) return { user: {}, error: 'invalid bearer token' }
  const { uid, pod } = owner
  const extra = pod === undefined ? {} : podFacts(pod)
  return { authenticated: true, user: { ...userOf(owner.name), uid, ...extra }, audiences: owner.audiences }
}

function userOf(name: string): object {
  return { username: name, groups: identityOf(name).groups }
}

function podFacts({ name, uid }: { readonly name: string; readonly uid: string }): object {
  const prefix = 'authentication.kubernetes.io'
  return { extra: { [`${prefix}/pod-name`]: [name], [`${prefix}/pod-uid`]: [uid] } }
}
