// The errors of Gitea in its own words (docs/reference/gitea.md#s4-1).
import type { Answer, Request } from '@dayfly/kit/http'
import { textAt } from '@dayfly/kit/read-json'
import { restErrors } from '../rest-errors.ts'

const errors = restErrors({ forge: 'gitea', name: 'Gitea', textOf, adviceFor })

export const giteaError = errors.create
export const errorFromAnswer = errors.fromAnswer
export const errorFromTransport = errors.fromTransport
export const badAnswer = errors.badAnswer

/** The scope that a token needs for the runners of each level (docs/reference/gitea.md#s3-3). */
const scopes: Readonly<Record<string, string>> = {
  admin: 'write:admin, and its user must be an administrator of the server',
  orgs: 'write:organization, and its user must own the organization',
  repos: 'write:repository, and its user must own the repository',
  user: 'write:user',
}

/** The server says which scope a call lacks, but not who may make it. */
function adviceFor({ status }: Answer, { method, path }: Request): string {
  if (status !== 403) return ''
  // The end of a job is read at its repository, also for the runners of another level.
  if (method === 'GET' && /\/actions\/jobs\/\d+$|\/repos\/search$/.test(path)) {
    return '. The token needs the scope read:repository, too.'
  }
  const [, level = ''] = /\/api\/v1\/(\w+)\b.*\/actions\//.exec(path) ?? []
  return scopes[level] ? `. The token needs the scope ${scopes[level]}.` : ''
}

function textOf({ body }: Answer): string {
  if (body.kind === 'text') return body.text.trim()
  const value = body.kind === 'json' ? body.value : undefined
  return textAt(value, 'message') ?? 'no message'
}
