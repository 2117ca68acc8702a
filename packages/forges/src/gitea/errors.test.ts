import { jsonAnswer, type Method, noBody } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { errorFromAnswer } from './errors.ts'

test.each([
  ['GET', '/admin/actions/runners', 'write:admin, and its user must be an administrator of the server'],
  [
    'POST',
    '/orgs/acme/actions/runners/registration-token',
    'write:organization, and its user must own the organization',
  ],
  ['DELETE', '/user/actions/runners/7', 'write:user'],
  ['PATCH', '/repos/acme/app/actions/runners/7', 'write:repository, and its user must own the repository'],
  // How a job ended is read at its repository, also for the runners of another level.
  ['GET', '/repos/acme/app/actions/jobs/7', 'read:repository, too'],
] as const)('403 for %s %s names the scope that the call needs', (method: Method, path, scope) => {
  const request = { method, path: `/git/api/v1${path}`, query: {}, headers: {}, body: noBody, expect: 'whole' } as const
  const { kind, message } = errorFromAnswer(request, jsonAnswer(403, { message: 'the words of Gitea' }), 0)
  expect(kind).toBe('unauthorized')
  expect(message).toContain(`403 the words of Gitea. The token needs the scope ${scope}.`)
})
