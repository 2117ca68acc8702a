// The errors of Bitbucket in its own words (docs/reference/bitbucket.md#s2-2).
import type { Answer, Request } from '@dayfly/kit/http'
import { textAt } from '@dayfly/kit/read-json'
import { restErrors } from '../rest-errors.ts'

const errors = restErrors({ forge: 'bitbucket', name: 'Bitbucket', textOf, adviceFor })

export const bitbucketError = errors.create
export const errorFromAnswer = errors.fromAnswer
export const errorFromTransport = errors.fromTransport
export const badAnswer = errors.badAnswer

function adviceFor({ status }: Answer, request: Request): string {
  const isBasic = request.headers['authorization']?.startsWith('Basic ') && !request.path.endsWith('/access_token')
  if (status !== 401 || !isBasic) return ''
  return '. App passwords ended on 2026-07-28: use an API token with the e-mail of its account, or an OAuth consumer.'
}

function textOf({ body }: Answer): string {
  if (body.kind === 'text') return body.text.trim()
  const value = body.kind === 'json' ? body.value : undefined
  return textAt(value, 'error', 'message') ?? textAt(value, 'error_description') ?? 'no message'
}
