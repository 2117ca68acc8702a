import { expect, test } from 'vitest'
import { createKinds } from '../api/kinds/kinds.ts'
import { absentRefusal } from './absent.ts'
import { routeOf } from './route.ts'

const request = (path: string, method: 'GET' | 'POST' = 'GET') =>
  ({ method, path, query: {}, headers: {}, body: { kind: 'none' }, expect: 'whole' }) as const

test.each([
  ['/api/v1/namespaces/ci/pods/a/attach', 'pods/attach is not supported by the embedded cluster. Read the log'],
  ['/api/v1/namespaces/ci/pods/a/resize', 'pods/resize is not supported by the embedded cluster. Create the pod again'],
  ['/api/v1/namespaces/ci/replicationcontrollers', 'replicationcontrollers are not supported by the embedded cluster'],
  ['/apis/authentication.k8s.io/v1/tokenreviews', 'tokenreviews.authentication.k8s.io are not supported'],
  ['/apis/storage.k8s.io/v1/csinodes', 'csinodes.storage.k8s.io are not supported by the embedded cluster'],
])('%s is refused with: %s', (path, message) => {
  expect(routeOf(request(path), createKinds())).toBeUndefined()
  expect(absentRefusal(request(path))?.status).toMatchObject({ code: 404, message: expect.stringContaining(message) })
})

test.each([
  '/api/v1/unknowns',
  '/apis/example.dev/v1/pods',
  '/apis/constructor/v1/pods',
  '/metrics',
  '/api/v1/pods/a/constructor',
])('%s is no resource of Kubernetes', (path) => {
  expect(absentRefusal(request(path))).toBeUndefined()
})
