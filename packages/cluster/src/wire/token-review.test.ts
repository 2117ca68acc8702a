// Reviews of tokens and of what their owners may do: what a proxy in front of a metrics endpoint asks.
import { jsonBody } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

function open() {
  const stage = openPodStage({ cluster: { users: new Map([['secret', 'admin']]) } })
  const post = async (path: string, body: object, token = 'secret') => {
    const headers = { authorization: `Bearer ${token}` }
    const { handler } = stage.cluster
    const answer = await handler({ method: 'POST', path, query: {}, headers, body: jsonBody(body), expect: 'whole' })
    const value = answer.body.kind === 'json' ? (answer.body.value as { status?: unknown }) : {}
    return { code: answer.status, status: value.status }
  }
  const review = (spec: object) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec })
  const issue = async (spec: object = {}) => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    return ((await post(path, { spec })).status as { token: string }).token
  }
  return { ...stage, post, review, issue }
}

const account = 'system:serviceaccount:default:default'
const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']

test('a review names the account of a token, and its pod', async () => {
  const { create, review, issue, registry } = open()
  create({ containers: [containerOf('main')] })
  const uid = registry.get('serviceaccounts', 'default', 'default')?.metadata.uid
  const podUid = registry.get('pods', 'default', 'p')?.metadata.uid
  const issuer = ['https://kubernetes.default.svc.cluster.local']
  expect(await review({ token: await issue() })).toEqual({
    code: 201,
    status: { authenticated: true, user: { username: account, uid, groups }, audiences: issuer },
  })
  const bound = await issue({ boundObjectRef: { kind: 'Pod', name: 'p' } })
  const extra = { 'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/pod-uid': [podUid] }
  expect((await review({ token: bound })).status).toMatchObject({ user: { username: account, extra } })
  registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  expect((await review({ token: bound })).status).toEqual({ user: {}, error: 'invalid bearer token' })
})

test('a token counts only for its own audiences', async () => {
  const { review, issue } = open()
  const token = await issue({ audiences: ['vault', 'other'] })
  expect((await review({ token })).status).toEqual({ user: {}, error: 'invalid bearer token' })
  expect((await review({ token, audiences: ['vault', 'third'] })).status).toMatchObject({ audiences: ['vault'] })
})

test('a review knows the users of the kubeconfig', async () => {
  const { review } = open()
  expect((await review({ token: 'secret' })).status).toMatchObject({ authenticated: true, user: { username: 'admin' } })
})

test('a review of access follows the roles of the user, and accounts need the right to ask', async () => {
  const { post, issue, registry } = open()
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]
  registry.create('roles.rbac.authorization.k8s.io', { metadata: { name: 'r', namespace: 'default' }, rules })
  registry.create('rolebindings.rbac.authorization.k8s.io', {
    metadata: { name: 'b', namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'Group', name: 'system:serviceaccounts' }],
  })
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  const ask = (verb: string) => {
    const resourceAttributes = { verb, resource: 'pods', namespace: 'default' }
    return post(path, { spec: { user: account, groups, resourceAttributes } })
  }
  expect((await ask('list')).status).toMatchObject({ allowed: true, reason: expect.stringContaining('RoleBinding') })
  expect((await ask('delete')).status).toEqual({ allowed: false })
  expect((await post(path, { spec: {} }, await issue())).code).toBe(403)
})
