// Authorization: masters may do everything. Stored roles decide for service accounts and impersonated users.
import { type Answer, jsonBody, type Method, noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createRegistry } from '../api/create-registry.ts'
import { silentNode } from '../api/silent-node.fixture.ts'
import { createStore } from '../store/store.ts'
import { createApiHandler } from './api-server.ts'
import { bearerAuthentication } from './authentication.ts'
import { createRequestLog } from './request-log.ts'

const account = 'system:serviceaccount:ci:doctor'
const rbac = 'rbac.authorization.k8s.io'

function world() {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  for (const name of ['ci', 'other']) registry.create('namespaces', { metadata: { name } })
  const users = new Map([
    ['master', 'alice'],
    ['account', account],
  ])
  const backend = { registry, node: silentNode, clock, random, profile: '1.36' } as const
  const requestLog = createRequestLog()
  const handler = createApiHandler({ ...backend, requestLog, authenticate: bearerAuthentication(users) })
  const ask = (
    method: Method,
    path: string,
    more: { token?: string; as?: object; body?: object; query?: object } = {},
  ) =>
    handler({
      method,
      path,
      query: { ...more.query },
      headers: { authorization: `Bearer ${more.token ?? 'account'}`, 'content-type': 'application/json', ...more.as },
      body: more.body ? jsonBody(more.body) : noBody,
      expect: 'whole',
    })
  const grant = (
    namespace: string | undefined,
    rules: readonly object[],
    subject: object = { kind: 'ServiceAccount', name: 'doctor', namespace: 'ci' },
  ) => {
    const metadata = namespace === undefined ? { name: 'doctor' } : { name: 'doctor', namespace }
    const [role, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding']
    registry.create(`${role?.toLowerCase()}s.${rbac}`, { kind: role, metadata, rules })
    const roleRef = { apiGroup: rbac, kind: role, name: 'doctor' }
    registry.create(`${binding?.toLowerCase()}s.${rbac}`, { kind: binding, metadata, roleRef, subjects: [subject] })
  }
  return { ask, grant, requestLog }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers without types.
function json({ body }: Answer): any {
  return body.kind === 'json' ? body.value : undefined
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const review = (spec: object) => ({
  body: { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec },
})

test('a service account may do only what the roles of the namespace allow', async () => {
  const { ask, grant } = world()
  grant('ci', [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
    { apiGroups: ['batch'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
  ])
  const status = async (method: Method, path: string, query = {}) => (await ask(method, path, { query })).status
  expect(await status('GET', '/api/v1/namespaces/ci/pods')).toBe(200)
  expect(await status('GET', '/api/v1/namespaces/ci/pods', { watch: 'true' })).toBe(403)
  expect(await status('GET', '/api/v1/namespaces/other/pods')).toBe(403)
  expect(await status('GET', '/api/v1/pods')).toBe(403)
  expect(await status('GET', '/api/v1/namespaces/ci/pods/ghost/log')).toBe(404)
  expect(await status('PATCH', '/apis/batch/v1/namespaces/ci/jobs/ghost/status')).toBe(415)
  expect(await status('GET', '/api/v1/namespaces/ci/secrets/one')).toBe(404)
  expect(await status('GET', '/api/v1/namespaces/ci/secrets/two')).toBe(403)
  // The server checks permissions before it checks whether the resource exists.
  expect(await status('GET', '/apis/nowhere.dev/v1/things')).toBe(403)
  expect(await status('GET', '/apis')).toBe(200)
  expect(await status('GET', '/metrics')).toBe(403)
})

test("a refusal has Kubernetes' message", async () => {
  const { ask } = world()
  expect(json(await ask('DELETE', '/apis/batch/v1/namespaces/ci/jobs/j'))).toMatchObject({
    reason: 'Forbidden',
    code: 403,
    message: `jobs.batch "j" is forbidden: User "${account}" cannot delete resource "jobs" in API group "batch" in the namespace "ci"`,
    details: { name: 'j', group: 'batch', kind: 'jobs' },
  })
  expect(json(await ask('GET', '/api/v1/nodes')).message).toBe(
    `nodes is forbidden: User "${account}" cannot list resource "nodes" in API group "" at the cluster scope`,
  )
  expect(json(await ask('GET', '/metrics')).message).toBe(`forbidden: User "${account}" cannot get path "/metrics"`)
})

test('a master may do everything and may impersonate another user, whose permissions then apply', async () => {
  const { ask, grant, requestLog } = world()
  grant(undefined, [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }], { kind: 'Group', name: 'lookers' })
  const as = (headers: object, path: string, token = 'master') => ask('GET', path, { token, as: headers })
  expect((await as({}, '/api/v1/secrets')).status).toBe(200)
  expect((await as({ 'impersonate-user': 'bob' }, '/api/v1/nodes')).status).toBe(403)
  expect((await as({ 'impersonate-user': 'bob', 'impersonate-group': 'a, lookers' }, '/api/v1/nodes')).status).toBe(200)
  expect((await as({ 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }, '/api/v1/pods')).status).toBe(
    200,
  )
  expect(requestLog.recent().at(-1)?.user).toBe('bob')
  const refused = await as({ 'impersonate-user': 'bob' }, '/api/v1/nodes', 'account')
  expect(json(refused).message).toContain(`User "${account}" cannot impersonate resource "users"`)
})

test('a review reports whether the caller may act, and which binding allows it', async () => {
  const { ask, grant } = world()
  grant('ci', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }])
  const answer = async (spec: object, token = 'account') => json(await ask('POST', reviews, { ...review(spec), token }))
  const pods = { resource: 'pods', verb: 'list', namespace: 'ci' }
  expect(await answer({ resourceAttributes: pods })).toEqual({
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: { resourceAttributes: pods },
    status: {
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "doctor/ci" of Role "doctor" to ServiceAccount "doctor/ci"',
    },
  })
  expect((await answer({ resourceAttributes: { ...pods, namespace: 'other' } })).status).toEqual({ allowed: false })
  expect((await answer({ resourceAttributes: { ...pods, subresource: 'log' } })).status).toEqual({ allowed: false })
  expect((await answer({ nonResourceAttributes: { path: '/healthz', verb: 'get' } })).status.allowed).toBe(true)
  expect((await answer({ resourceAttributes: { resource: 'secrets', verb: '*' } }, 'master')).status).toEqual({
    allowed: true,
  })
  expect(await answer({})).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.resourceAttributes' }] } })
  expect((await ask('GET', reviews, { token: 'master' })).status).toBe(405)
})

test('a RoleBinding to a ClusterRole applies only in its namespace', async () => {
  const { ask } = world()
  const make = (path: string, body: object) => ask('POST', `/apis/${rbac}/v1/${path}`, { token: 'master', body })
  const rules = [{ apiGroups: ['*'], resources: ['*/status', 'pods'], verbs: ['get'] }]
  await make('clusterroles', { metadata: { name: 'reader' }, rules })
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'reader' }
  const subjects = [{ kind: 'ServiceAccount', name: 'doctor' }]
  await make('namespaces/ci/rolebindings', { metadata: { name: 'reader' }, roleRef, subjects })
  expect((await ask('GET', '/api/v1/namespaces/ci/pods/ghost')).status).toBe(404)
  expect((await ask('GET', '/apis/batch/v1/namespaces/ci/jobs/ghost/status')).status).toBe(404)
  expect((await ask('GET', '/apis/batch/v1/namespaces/ci/jobs/ghost')).status).toBe(403)
  expect((await ask('GET', '/api/v1/namespaces/other/pods/ghost')).status).toBe(403)
})
