// What the doctor reads of a cluster: pages, failures, and nothing that it should not hold.
import { expect, test } from 'vitest'
import { createArc, createPod, openDoctorCluster, running } from '../../../test/doctor-cluster.ts'
import type { Answer, Request } from '../../lib/http.ts'
import { gatherLive } from './gather.ts'

test('ten thousand pods are read in pages, and only what rules read of them is kept', { timeout: 60_000 }, async () => {
  const cluster = openDoctorCluster((request) => (isListOf(request, 'pods') ? podPage(request) : undefined))
  const { objects, pods } = await gatherLive(cluster)
  expect(pods).toHaveLength(10_000)
  expect(cluster.requests.filter((request) => isListOf(request, 'pods'))).toHaveLength(20)
  expect(objects.every(({ raw }) => !JSON.stringify(raw).includes('managedFields'))).toBe(true)
})

test('what cannot be read is named: refused, unknown to the server, or broken', async () => {
  const broken: Record<string, Answer> = {
    jobs: refusal(403, 'Forbidden'),
    nodes: { status: 200, headers: {}, body: { kind: 'json', value: { items: [] } } },
    customresourcedefinitions: refusal(403, 'Forbidden'),
  }
  const cluster = openDoctorCluster(({ path }) => broken[path.split('/').at(-1) ?? ''])
  const { live } = await gatherLive(cluster)
  expect(live?.unreadable).toMatchObject({
    Job: 'not allowed to list it',
    Node: expect.stringContaining('without a list'),
    CustomResourceDefinition: 'not allowed to list it',
    RunnerSet: 'the API server does not know this kind',
  })
  expect(Object.keys(live?.unreadable ?? {})).toHaveLength(4)
})

test('a custom kind that no definition makes has no objects: no gap, by the list of definitions', async () => {
  const { live } = await gatherLive(openDoctorCluster())
  expect(live?.unreadable).toEqual({})
})

test('rules get what surrounds the runners: CronJobs, DaemonSets, budgets and webhooks', async () => {
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
  expect(live?.unreadable).toEqual({ MutatingWebhookConfiguration: 'not allowed to list it' })
  const asked = cluster.requests.find((one) => isListOf(one, 'mutatingwebhookconfigurations'))
  expect(asked?.path).toBe('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations')
})

test('a refusal in one namespace makes the kind unreadable, and keeps what was read', async () => {
  const cluster = openDoctorCluster(({ path }) =>
    path.includes('/arc-system/pods') ? refusal(403, 'Forbidden') : undefined,
  )
  createPod(cluster.registry, { name: 'r1' }, { phase: 'Running', runner: running(cluster.clock) })
  const { pods, live } = await gatherLive({ ...cluster, namespaces: ['runners', 'arc-system'] })
  expect(pods.map(({ object }) => object.name)).toEqual(['r1'])
  expect(live?.unreadable['Pod']).toBe('not allowed to list it in namespace arc-system')
  expect(live?.namespaces).toEqual(['runners', 'arc-system'])
})

test('of Secrets only the metadata is asked for and kept', async () => {
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

test('events come by one list a namespace, of each object the newest twenty', async () => {
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
  return { status: 200, headers: {}, body: { kind: 'json', value: { metadata: { resourceVersion: '1' }, items } } }
}

function refusal(code: number, reason: string): Answer {
  const value = { kind: 'Status', status: 'Failure', reason, message: 'no', code }
  return { status: code, headers: {}, body: { kind: 'json', value } }
}

function isListOf({ method, path }: Request, plural: string): boolean {
  return method === 'GET' && path.endsWith(`/${plural}`)
}
