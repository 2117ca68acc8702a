// The reading of a cluster: pages, failures, and the fields that must not be kept.
import { type Answer, type Request, textAnswer } from '@dayfly/kit/http'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { expect, test } from 'vitest'
import { runRules } from '../engine/run-rules.ts'
import { rule as disruptionUnprotected } from '../rules/disruption-unprotected.ts'
import { createArc, createPod, openDoctorCluster, running } from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'

test('reads ten thousand pods in pages, and keeps only the fields that rules read', { timeout: 60_000 }, async () => {
  const cluster = openDoctorCluster((request) => (isListOf(request, 'pods') ? podPage(request) : undefined))
  const { objects, pods } = await gatherLive(cluster)
  expect(pods).toHaveLength(10_000)
  expect(cluster.requests.filter((request) => isListOf(request, 'pods'))).toHaveLength(20)
  expect(objects.every(({ raw }) => !JSON.stringify(raw).includes('managedFields'))).toBe(true)
})

test('names each kind that could not be read: refused, broken, or served in another version only', async () => {
  const broken: Record<string, Answer> = {
    '/apis/batch/v1/jobs': refusal(403, 'Forbidden'),
    '/api/v1/nodes': answerOf({ items: [] }),
    '/apis/actions.github.com/v1alpha1/ephemeralrunners': textAnswer(404, '404 page not found\n'),
    '/apis/actions.github.com/v1alpha1': answerOf({ resources: [] }),
    '/apis/actions.github.com/v1beta1': answerOf({ resources: [{ name: 'ephemeralrunners' }] }),
    '/apis': answerOf({
      groups: [
        { name: 'actions.github.com', versions: [{ version: 'v1alpha1' }, { version: 'v1beta1' }] },
        { name: 'batch', versions: [{ version: 'v1' }] },
      ],
    }),
  }
  const { live } = await gatherLive(openDoctorCluster(({ path }) => broken[path]))
  expect(live.unreadable).toEqual({
    Job: failed('not allowed to list it'),
    Node: failed(expect.stringContaining('without a list')),
    EphemeralRunner: failed('served only as v1beta1'),
  })
})

test('asks an API server that never answers for one list only', async () => {
  const { kubernetes, ...rest } = openDoctorCluster()
  const silence = new KubernetesError('unavailable', 'connect ECONNREFUSED')
  const asked: string[] = []
  const list: Kubernetes['list'] = async ({ kind }) => {
    asked.push(kind)
    throw silence
  }
  const inquiry = { versionsOf: () => Promise.reject(silence), mayI: () => Promise.reject(silence) }
  const { live } = await gatherLive({ ...rest, kubernetes: { ...kubernetes, list }, inquiry, namespaces: ['ci'] })
  expect(asked).toEqual(['Pod'])
  expect(Object.keys(live.unreadable).length).toBeGreaterThan(15)
  expect(Object.values(live.unreadable)).toContainEqual(failed('connect ECONNREFUSED'))
})

test('finds no objects of a kind that discovery does not list, also without the right to list it', async () => {
  const cluster = openDoctorCluster(({ path }) =>
    path.endsWith('/runnersets') ? refusal(403, 'Forbidden') : undefined,
  )
  const { live } = await gatherLive(cluster)
  expect(live.unreadable).toEqual({})
})

test('takes a 404 for no proof: if discovery does not answer, the kind is unread', async () => {
  const cluster = openDoctorCluster(({ path }) => (path === '/apis' ? textAnswer(404, 'no such route') : undefined))
  const { live } = await gatherLive(cluster)
  expect(Object.keys(live.unreadable).sort()).toEqual(unserved)
})

function failed(why: string) {
  return { is: 'failed', why }
}

/** Kinds that the embedded API server does not serve and this test does not define. */
const unserved = ['NodeClaim', 'NodePool', 'RunnerSet']

test("reads Karpenter's pools and claims in the served version, by their metadata only", async () => {
  const cluster = openDoctorCluster(({ path }) => {
    if (path === '/apis') return answerOf({ groups: [{ name: 'karpenter.sh', versions: [{ version: 'v1beta1' }] }] })
    if (path === '/apis/karpenter.sh/v1beta1')
      return answerOf({ resources: [{ name: 'nodepools' }, { name: 'nodeclaims' }] })
    if (path.endsWith('/v1beta1/nodepools')) return listOf([{ metadata: { name: 'ci' }, spec: { template: {} } }])
    return path.endsWith('/v1beta1/nodeclaims') ? listOf([]) : undefined
  })
  createPod(cluster.registry, { name: 'r1' }, { phase: 'Running', runner: running(cluster.clock) })
  const facts = await gatherLive(cluster)
  const { objects, live } = facts
  expect(runRules(facts, [disruptionUnprotected]).hits.map(({ hit }) => hit.object.name)).toEqual(['r1'])
  expect(live.unreadable).toEqual({})
  const pool = objects.find(({ object }) => object.kind === 'NodePool')
  expect(pool).toMatchObject({ object: { apiVersion: 'karpenter.sh/v1beta1', name: 'ci' } })
  expect(Object.keys(pool?.raw ?? {})).toEqual(['apiVersion', 'kind', 'metadata'])
})

test('gives rules the objects around the runners: CronJobs, DaemonSets, budgets and webhooks', async () => {
  const served = ['cronjobs', 'daemonsets', 'poddisruptionbudgets']
  const cluster = openDoctorCluster(({ path }) => {
    const plural = path.split('/').at(-1) ?? ''
    if (plural === 'mutatingwebhookconfigurations') return refusal(403, 'Forbidden')
    return served.includes(plural) ? listOf([{ metadata: { name: plural, namespace: 'runners' } }]) : undefined
  })
  const { objects, live } = await gatherLive({ ...cluster, namespaces: ['runners'] })
  expect(
    objects.flatMap(({ object }) => (served.includes(object.name) ? `${object.apiVersion} ${object.kind}` : [])),
  ).toEqual(['batch/v1 CronJob', 'apps/v1 DaemonSet', 'policy/v1 PodDisruptionBudget'])
  expect(live.unreadable).toEqual({ MutatingWebhookConfiguration: failed('not allowed to list it') })
  const asked = cluster.requests.find((one) => isListOf(one, 'mutatingwebhookconfigurations'))
  expect(asked?.path).toBe('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations')
})

test('records a kind as unread after a refusal in one namespace, and keeps the objects that it read', async () => {
  const cluster = openDoctorCluster(({ path }) =>
    path.includes('/arc-system/pods') ? refusal(403, 'Forbidden') : undefined,
  )
  createPod(cluster.registry, { name: 'r1' }, { phase: 'Running', runner: running(cluster.clock) })
  const { pods, live } = await gatherLive({ ...cluster, namespaces: ['runners', 'arc-system'] })
  expect(pods.map(({ object }) => object.name)).toEqual(['r1'])
  expect(live.unreadable['Pod']).toEqual(failed('not allowed to list it in namespace arc-system'))
  expect(live.namespaces).toEqual(['runners', 'arc-system'])
})

test('requests and keeps only the metadata of Secrets', async () => {
  const cluster = openDoctorCluster()
  const metadata = { name: 'github', namespace: 'runners' }
  cluster.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata, data: { token: 'c2VjcmV0' } })
  const facts = await gatherLive(cluster)
  const secret = facts.objects.find(({ object }) => object.kind === 'Secret')
  expect(Object.keys(secret?.raw ?? {})).toEqual(['apiVersion', 'kind', 'metadata'])
  expect(JSON.stringify(facts)).not.toContain('c2VjcmV0')
  const request = cluster.requests.find((one) => isListOf(one, 'secrets'))
  expect(request?.headers['accept']).toMatch(/^application\/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,/)
})

test('reads Events in one list a namespace, and keeps the newest twenty of each object', async () => {
  const cluster = openDoctorCluster()
  const { uid } = createPod(cluster.registry, { name: 'r1' }, { phase: 'Running' }).metadata
  createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' })
  for (let index = 0; index < 60; index++) {
    cluster.registry.create('events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `e${index}`, namespace: 'runners' },
      involvedObject: { kind: 'Pod', namespace: 'runners', name: 'r1', uid },
      reason: 'FailedMount',
      message: `${index}`,
      lastTimestamp: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    })
  }
  const { objects } = await gatherLive(cluster)
  const events = objects.filter(({ object }) => object.kind === 'Event')
  expect(events.map(({ raw }) => raw['message'])).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 40}`))
  expect(cluster.requests.filter((request) => isListOf(request, 'events'))).toHaveLength(1)
})

function podPage({ query = {} }: Request): Answer {
  const from = Number(query['continue'] ?? 0)
  const items = Array.from({ length: 500 }, (_, index) => ({
    metadata: {
      name: `r${from + index}`,
      namespace: 'runners',
      uid: `u${from + index}`,
      managedFields: [{ manager: 'kubelet', fieldsV1: { f: 'managedFields'.repeat(50) } }],
    },
    spec: { containers: [{ name: 'runner', image: 'ghcr.io/actions/actions-runner:2' }], restartPolicy: 'Never' },
  }))
  const next = from + 500 < 10_000 ? { continue: String(from + 500) } : {}
  return {
    status: 200,
    headers: {},
    body: { kind: 'json', value: { metadata: { resourceVersion: '1', ...next }, items } },
  }
}

function listOf(items: readonly object[]): Answer {
  return answerOf({ metadata: { resourceVersion: '1' }, items })
}

function answerOf(value: unknown): Answer {
  return { status: 200, headers: {}, body: { kind: 'json', value } }
}

function refusal(code: number, reason: string): Answer {
  const value = { kind: 'Status', status: 'Failure', reason, message: 'no', code }
  return { status: code, headers: {}, body: { kind: 'json', value } }
}

function isListOf({ method, path }: Request, plural: string): boolean {
  return method === 'GET' && path.endsWith(`/${plural}`)
}
