// The subresources that are no part of their object: the scale of a workload, and the token of a service account.
import { jsonBody, type Method } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

function open() {
  const stage = openPodStage()
  const call = async (method: Method, path: string, body: object = {}, type = 'application/json') => {
    const headers = { authorization: '', 'content-type': type }
    const send = stage.cluster.transport('tester')
    const given = method === 'GET' ? ({ kind: 'none' } as const) : jsonBody(body)
    const answer = await send({ method, path, query: {}, headers, body: given, expect: 'whole' })
    return { status: answer.status, value: answer.body.kind === 'json' ? answer.body.value : undefined }
  }
  return { ...stage, call }
}

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }] },
    template: { metadata: { labels: { app: 'a', tier: 'x' } }, spec: { containers: [containerOf('one')] } },
  },
}

test('the scale of a Deployment is read, replaced and patched', async () => {
  const { call, clock, pod, registry } = open()
  await call('POST', deployments, deployment)
  await clock.advance(2_000)
  const scale = await call('GET', `${deployments}/web/scale`)
  expect(scale.value).toMatchObject({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 1 },
    status: { replicas: 1, selector: 'app=a,tier in (x,y)' },
  })
  const merge = 'application/merge-patch+json'
  const patched = await call('PATCH', `${deployments}/web/scale`, { spec: { replicas: 3 } }, merge)
  expect(patched).toMatchObject({ status: 200, value: { spec: { replicas: 3 } } })
  await clock.advance(2_000)
  expect(registry.list('pods')).toHaveLength(3)
  expect((await call('PUT', `${deployments}/web/scale`, { spec: { replicas: 2 } })).status).toBe(200)
  const stale = { metadata: { resourceVersion: '1' }, spec: { replicas: 9 } }
  expect((await call('PUT', `${deployments}/web/scale`, stale)).status).toBe(409)
  expect((await call('PATCH', `${deployments}/web/scale`, { spec: { replicas: -1 } }, merge)).status).toBe(422)
  expect((await call('GET', `${deployments}/none/scale`)).status).toBe(404)
  expect(pod()).toBeUndefined()
})

test('a token identifies its account until it expires or its pod is gone', async () => {
  const { call, clock, cluster, create, registry } = open()
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  create({ containers: [containerOf('main')] })
  const ask = async (spec: object) => {
    const { status, value } = await call('POST', path, { spec })
    const token = (value as { status?: { token?: string } }).status?.token ?? ''
    const me = async () => {
      const headers = { authorization: `Bearer ${token}` }
      const about = { method: 'GET', path: '/api/v1/secrets', query: {}, headers, body: { kind: 'none' } } as const
      return (await cluster.handler({ ...about, expect: 'whole' })).status
    }
    return { status, me }
  }
  const short = await ask({ expirationSeconds: 600 })
  const bound = await ask({ boundObjectRef: { kind: 'Pod', name: 'p' } })
  const foreign = await ask({ audiences: ['vault'] })
  expect([await short.me(), await bound.me(), await foreign.me()]).toEqual([403, 403, 401])
  await clock.advance(601_000)
  expect([await short.me(), await bound.me()]).toEqual([401, 403])
  registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  expect(await bound.me()).toBe(401)
  expect((await ask({ expirationSeconds: 60 })).status).toBe(422)
  expect((await ask({ boundObjectRef: { kind: 'Pod', name: 'p' } })).status).toBe(404)
  expect((await call('POST', path.replace('default/token', 'none/token'))).status).toBe(404)
})
