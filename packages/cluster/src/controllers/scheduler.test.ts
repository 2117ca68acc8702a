import { expect, test } from 'vitest'
import { field, isObject } from '../api/values/json.ts'
import { containerOf, openPodStage, podOf } from '../pod-stage.fixture.ts'

const node = { name: 'n1', labels: { pool: 'ci' }, capacity: { cpu: '4', memory: '8Gi', pods: '3' } }
const asking = (name: string, requests: object) => containerOf(name, { resources: { requests } })

function open(more: object = {}) {
  return openPodStage({ cluster: { node: { ...node, ...more } } })
}

function refusal(stage: ReturnType<typeof open>, name = 'p'): unknown {
  const conditions = field(stage.pod(name), 'status', 'conditions')
  const found = (Array.isArray(conditions) ? conditions : []).find(
    (condition) => isObject(condition) && condition['type'] === 'PodScheduled',
  )
  return found['status'] === 'True' ? undefined : `${found['reason']}: ${found['message']}`
}

test.each([
  [{ nodeSelector: { pool: 'ci' } }, undefined],
  [
    { nodeSelector: { pool: 'gpu' } },
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [{ containers: [asking('a', { cpu: '1500m' }), asking('b', { cpu: '2.5' })] }, undefined],
  [
    { containers: [asking('a', { cpu: '4', memory: '9Gi' })] },
    '0/1 nodes are available: 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  ],
  [
    {
      initContainers: [{ ...asking('s', { cpu: '1' }), restartPolicy: 'Always' }],
      containers: [asking('a', { cpu: '3500m' })],
    },
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  ],
  [{ initContainers: [asking('i', { cpu: '3' })], containers: [asking('a', { cpu: '2' })] }, undefined],
])('a pod with %j is scheduled, or refused: %s', async (spec, message) => {
  const stage = open()
  stage.create({ containers: [containerOf('main')], ...spec })
  await stage.clock.advance(100)
  expect(refusal(stage)).toBe(message && `Unschedulable: ${message}`)
  expect(
    stage.events().filter((event) => event.startsWith(message ? 'FailedScheduling x1: ' : 'Scheduled x1: ')),
  ).toHaveLength(1)
})

test.each([
  [undefined, false],
  [{ key: 'ci', operator: 'Exists' }, true],
  [{ key: 'ci', value: 'yes', effect: 'NoSchedule' }, true],
  [{ key: 'ci', value: 'no' }, false],
  [{ operator: 'Exists' }, true],
])('a pod with toleration %j fits a tainted node: %s', async (toleration, fits) => {
  const stage = open({ taints: [{ key: 'ci', value: 'yes', effect: 'NoSchedule' }] })
  stage.create({ containers: [containerOf('main')], tolerations: toleration ? [toleration] : [] })
  await stage.clock.advance(100)
  expect(refusal(stage) === undefined).toBe(fits)
})

test('binds the next pod to a full node as soon as another pod has ended', async () => {
  const stage = open()
  for (const name of ['a', 'b', 'c', 'd']) stage.create({ containers: [containerOf('main')] }, name)
  await stage.clock.advance(1_000)
  expect(refusal(stage, 'd')).toContain('1 Too many pods.')
  stage.registry.delete('pods', 'default', 'b')
  await stage.clock.advance(100)
  expect(refusal(stage, 'd')).toBeUndefined()
})

test('ignores pods with scheduling gates, pods of another scheduler, and deleted pods', async () => {
  const stage = open()
  stage.create({ containers: [containerOf('main')], schedulingGates: [{ name: 'example.com/wait' }] }, 'gated')
  stage.create({ containers: [containerOf('main')], schedulerName: 'other' }, 'other')
  await stage.clock.advance(1_000)
  expect(['gated', 'other'].map((name) => field(stage.pod(name), 'spec', 'nodeName'))).toEqual([undefined, undefined])
})

const hostname = 'kubernetes.io/hostname'
const groupTerm = {
  labelSelector: { matchExpressions: [{ key: 'group', operator: 'In', values: ['a'] }] },
  topologyKey: hostname,
}

/** Creates pods of the group `a` one after the other. Returns the node of each. */
async function placesOf(count: number, affinity: object): Promise<readonly unknown[]> {
  const stage = open()
  for (const name of ['n2', 'n3']) {
    const metadata = { name, labels: { [hostname]: name } }
    const created = stage.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata })
    stage.registry.update('nodes', { ...created, status: { allocatable: { pods: '9' } } }, { subresource: 'status' })
  }
  for (let index = 0; index < count; index++) {
    const pod = podOf({ containers: [containerOf('main')], affinity }, `p${index}`)
    stage.registry.create('pods', { ...pod, metadata: { ...pod.metadata, labels: { group: 'a' } } })
    await stage.clock.advance(100)
  }
  return Array.from({ length: count }, (_, index) => field(stage.pod(`p${index}`), 'spec', 'nodeName'))
}

test.each([
  [
    'required anti-affinity',
    { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [groupTerm] } },
    ['n1', 'n2', 'n3', undefined],
  ],
  [
    'preferred anti-affinity',
    {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: groupTerm }] },
    },
    ['n1', 'n2', 'n3', 'n1'],
  ],
  [
    'required affinity',
    { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [groupTerm] } },
    ['n1', 'n1', 'n1', undefined],
  ],
  [
    'another namespace',
    { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...groupTerm, namespaces: ['other'] }] } },
    ['n1', 'n1', 'n1', 'n2'],
  ],
])('places four pods with %s', async (_, affinity, nodes) => {
  expect(await placesOf(4, affinity)).toEqual(nodes)
})

test('a pod that waits for its distance is scheduled when the other pod ends', async () => {
  const stage = openPodStage({ cluster: { node }, scripts: { first: { endsAfterMs: 5_000 } } })
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [groupTerm] } }
  const first = podOf({ containers: [containerOf('first')], affinity }, 'first')
  stage.registry.create('pods', { ...first, metadata: { ...first.metadata, labels: { group: 'a' } } })
  await stage.clock.advance(100)
  const second = podOf({ containers: [containerOf('second')] }, 'second')
  stage.registry.create('pods', { ...second, metadata: { ...second.metadata, labels: { group: 'a' } } })
  await stage.clock.advance(100)
  expect(refusal(stage, 'second')).toContain("1 node(s) didn't satisfy existing pods anti-affinity rules")
  await stage.clock.advance(5_000)
  expect(refusal(stage, 'second')).toBeUndefined()
})

test('a pod that wants a neighbour is scheduled when the neighbour is', async () => {
  const stage = open()
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [groupTerm] } }
  stage.create({ containers: [containerOf('main')], affinity })
  await stage.clock.advance(100)
  expect(refusal(stage)).toContain("1 node(s) didn't match pod affinity rules")
  const other = podOf({ containers: [containerOf('main')] }, 'other')
  stage.registry.create('pods', { ...other, metadata: { ...other.metadata, labels: { group: 'a' } } })
  await stage.clock.advance(100)
  expect(refusal(stage)).toBeUndefined()
})

test('a cordoned node takes only pods that tolerate it', async () => {
  const stage = open()
  await stage.clock.advance(1_000)
  stage.registry.patch('nodes', { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: true } } })
  stage.create({ containers: [containerOf('main')] }, 'plain')
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }]
  stage.create({ containers: [containerOf('main')], tolerations }, 'daemon')
  await stage.clock.advance(1_000)
  expect(refusal(stage, 'plain')).toContain('1 node(s) were unschedulable')
  expect(field(stage.pod('daemon'), 'spec', 'nodeName')).toBe('n1')
})
