import { expect, test } from 'vitest'
import { field, list, text } from '../api/values/json.ts'
import { containerOf, openPodStage, podOf } from '../pod-stage.fixture.ts'

test('every namespace has the account `default` and the certificate, also after they were deleted', () => {
  const { registry } = openPodStage({ scripts: {} })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  for (const resource of ['serviceaccounts', 'configmaps'] as const) {
    const name = resource === 'configmaps' ? 'kube-root-ca.crt' : 'default'
    const before = registry.get(resource, 'ci', name)
    registry.delete(resource, 'ci', name)
    const after = registry.get(resource, 'ci', name)
    expect([typeof before?.metadata.uid, after?.metadata.uid === before?.metadata.uid]).toEqual(['string', false])
  }
  const certificate = text(registry.get('configmaps', 'ci', 'kube-root-ca.crt'), 'data', 'ca.crt')
  expect(certificate).toContain('BEGIN CERTIFICATE')
})

test('a deleted namespace loses both and does not get them again', async () => {
  const { registry, clock } = openPodStage({ scripts: {} })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  registry.delete('namespaces', undefined, 'ci')
  await clock.advance(10_000)
  expect(registry.get('namespaces', undefined, 'ci')).toBeUndefined()
  expect(registry.list('serviceaccounts', 'ci')).toEqual([])
})

test('a Secret of a service account gets its token, and the token ends with the account', async () => {
  const { registry, cluster } = openPodStage({ scripts: {} })
  registry.create('serviceaccounts', { metadata: { name: 'robot', namespace: 'default' } })
  const annotations = { 'kubernetes.io/service-account.name': 'robot' }
  const type = 'kubernetes.io/service-account-token'
  registry.create('secrets', { metadata: { name: 'robot', namespace: 'default', annotations }, type })
  const token = Buffer.from(text(registry.get('secrets', 'default', 'robot'), 'data', 'token'), 'base64').toString()
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const path = '/api/v1/namespaces/default/pods'
    const answer = await cluster.handler({
      method: 'GET',
      path,
      query: {},
      headers,
      body: { kind: 'none' },
      expect: 'whole',
    })
    return [answer.status, answer.body.kind === 'json' ? text(answer.body.value, 'message') : '']
  }
  const why = 'User "system:serviceaccount:default:robot" cannot list resource "pods"'
  expect(await ask()).toEqual([403, expect.stringContaining(why)])
  registry.delete('serviceaccounts', 'default', 'robot')
  expect(await ask()).toEqual([401, 'Unauthorized'])
})

test('a pod gets the token volume unless it or its account declines', () => {
  const { registry } = openPodStage({ scripts: {} })
  const volumesOf = (name: string, spec: object) => {
    const pod = podOf({ containers: [containerOf('main')], ...spec })
    const made = registry.create('pods', { ...pod, metadata: { ...pod.metadata, name } })
    const [container] = list(made, 'spec', 'containers')
    return [
      list(made, 'spec', 'volumes').length,
      list(container, 'volumeMounts').map((mount) => field(mount, 'mountPath')),
    ]
  }
  const mounted = [1, ['/var/run/secrets/kubernetes.io/serviceaccount']]
  expect(volumesOf('a', {})).toEqual(mounted)
  expect(volumesOf('b', { automountServiceAccountToken: false })).toEqual([0, []])
  const metadata = { name: 'shy', namespace: 'default' }
  registry.create('serviceaccounts', { metadata, automountServiceAccountToken: false })
  expect(volumesOf('c', { serviceAccountName: 'shy' })).toEqual([0, []])
  expect(volumesOf('d', { serviceAccountName: 'shy', automountServiceAccountToken: true })).toEqual(mounted)
})

test('a pod without pull secrets gets those of its service account', () => {
  const { registry } = openPodStage({ scripts: {} })
  const metadata = { name: 'puller', namespace: 'default' }
  registry.create('serviceaccounts', { metadata, imagePullSecrets: [{ name: 'registry' }] })
  const secretsOf = (name: string, spec: object) => {
    const pod = podOf({ containers: [containerOf('main')], ...spec })
    return list(registry.create('pods', { ...pod, metadata: { ...pod.metadata, name } }), 'spec', 'imagePullSecrets')
  }
  expect(secretsOf('a', { serviceAccountName: 'puller' })).toEqual([{ name: 'registry' }])
  expect(secretsOf('b', { serviceAccountName: 'puller', imagePullSecrets: [{ name: 'own' }] })).toEqual([
    { name: 'own' },
  ])
  expect(secretsOf('c', {})).toEqual([])
})
