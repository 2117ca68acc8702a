import { expect, test } from 'vitest'
import { createKinds } from '../api/kinds.ts'
import { absentRefusal } from './absent.ts'
import { routeOf } from './route.ts'

const request = (path: string, method: 'GET' | 'POST' = 'GET') =>
  ({ method, path, query: {}, headers: {}, body: { kind: 'none' }, expect: 'whole' }) as const

test.each([
  ['/api/v1/namespaces/ci/pods/a/exec', 'pods/exec is not supported by the embedded cluster. Write to the log'],
  ['/api/v1/namespaces/ci/pods/a/eviction', 'pods/eviction is not supported by the embedded cluster. Delete the pod'],
  ['/api/v1/namespaces/ci/resourcequotas', 'resourcequotas are not supported by the embedded cluster'],
  ['/api/v1/limitranges', 'limitranges are not supported by the embedded cluster'],
  ['/apis/events.k8s.io/v1/namespaces/ci/events', 'events.events.k8s.io are not supported by the embedded cluster'],
  ['/apis/autoscaling/v2/horizontalpodautoscalers', 'horizontalpodautoscalers.autoscaling are not supported'],
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
