// DaemonSets on the whole embedded cluster, on a virtual clock. Its own node is `dayfly`; the test plays the kubelets of the others.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { list, objectAt, objects, text } from '../../api/json.ts'
import { hasEnded, nodeOf } from '../../api/pod-state.ts'
import { containerOf, openPodStage } from '../../pod-stage.fixture.ts'
import type { StoredObject } from '../../store/object.ts'
import { createFailedPods } from './failed-pods.ts'

const resource = 'daemonsets.apps'
const revisions = 'controllerrevisions.apps'
const labels = { app: 'a' }

function open(spec: object = {}, nodes: readonly string[] = ['n1', 'n2']) {
  const stage = openPodStage()
  const { registry } = stage
  const template = (word: string, more: object = {}) => ({
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [containerOf(word)], ...more },
  })
  const addNode = (name: string, nodeSpec: object = {}, nodeLabels: object = {}) =>
    registry.create('nodes', {
      metadata: { name, labels: nodeLabels },
      spec: nodeSpec,
      status: { capacity: { pods: '10', cpu: '8', memory: '8Gi' } },
    })
  playKubelets(stage)
  for (const name of nodes) addNode(name)
  registry.create(resource, {
    metadata: { name: 'ds', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: template('one'), ...spec },
  })
  const patch = (kind: string, namespace: string | undefined, name: string, body: object) =>
    registry.patch(kind, { namespace, name }, { type: 'merge', body })
  const pods = () => registry.list('pods').filter((pod) => pod.metadata.name.startsWith('ds-'))
  return {
    ...stage,
    template,
    addNode,
    changeNode: (name: string, body: object) => patch('nodes', undefined, name, body),
    change: (body: object) => patch(resource, 'default', 'ds', { spec: body }),
    status: () => objectAt(registry.get(resource, 'default', 'ds'), 'status'),
    pods,
    podOn: (node: string) => pods().find((pod) => nodeOf(pod) === node),
    /** The pods as `node:word`. */
    words: () =>
      pods()
        .map((pod) => `${nodeOf(pod)}:${text(list(pod, 'spec', 'containers')[0], 'name')}`)
        .sort(),
    fail: (pod: StoredObject | undefined, phase = 'Failed') =>
      registry.update('pods', { ...pod, status: { ...objectAt(pod, 'status'), phase } }, { subresource: 'status' }),
  }
}

/** Makes the pods of all nodes but `dayfly` ready a second after they are bound, and ends them when they are deleted. */
function playKubelets({ registry, clock }: ReturnType<typeof openPodStage>): void {
  const settle = (name: string) => {
    const pod = registry.get('pods', 'default', name)
    if (pod === undefined || hasEnded(pod)) return
    if (pod.metadata.deletionTimestamp !== undefined)
      registry.delete('pods', 'default', name, { gracePeriodSeconds: 0 })
    else {
      const since = new Date(clock.now()).toISOString()
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: since }]
      registry.update('pods', { ...pod, status: { phase: 'Running', conditions } }, { subresource: 'status' })
    }
  }
  registry.subscribe('pods', ({ type, object, before }) => {
    const isChanged = nodeOf(object) !== nodeOf(before ?? {}) || object.metadata.deletionTimestamp !== undefined
    if (type === 'DELETED' || ['', 'dayfly'].includes(nodeOf(object)) || !isChanged) return
    clock.after(1_000, () => settle(object.metadata.name))
  })
}

test('runs one pod on each node, pinned by the name of the node, with the tolerations of daemons', async () => {
  const stage = open({
    template: { metadata: { labels }, spec: { hostNetwork: true, containers: [containerOf('one')] } },
  })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n1:one', 'n2:one'])
  const [revision] = stage.registry.list(revisions)
  const pod = stage.podOn('n1')
  expect(pod).toMatchObject({
    metadata: {
      generateName: 'ds-',
      labels: { app: 'a', 'controller-revision-hash': revision?.metadata.name.slice(3) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', controller: true }],
    },
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
          },
        },
      },
    },
  })
  expect(objects(pod, 'spec', 'tolerations').map(({ key, effect }) => `${key}:${effect}`.slice(19))).toEqual([
    'not-ready:NoExecute',
    'unreachable:NoExecute',
    'disk-pressure:NoSchedule',
    'memory-pressure:NoSchedule',
    'pid-pressure:NoSchedule',
    'unschedulable:NoSchedule',
    'network-unavailable:NoSchedule',
  ])
  expect(stage.status()).toEqual({
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  })
})

test.each([
  ['a node selector', { nodeSelector: { disk: 'ssd' } }, ['n3:one']],
  [
    'a required node affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' }] }],
          },
        },
      },
    },
    ['dayfly:one', 'n1:one'],
  ],
  ['a node name', { nodeName: 'n1' }, ['n1:one']],
  ['a taint that nobody tolerates', {}, ['dayfly:one', 'n1:one', 'n3:one']],
  [
    'a toleration',
    { tolerations: [{ key: 'only', operator: 'Exists' }] },
    ['dayfly:one', 'n1:one', 'n2:one', 'n3:one'],
  ],
])('respects %s', async (_, more, expected) => {
  const stage = open({}, ['n1'])
  stage.change({ template: stage.template('one', more) })
  stage.addNode('n2', { taints: [{ key: 'only', effect: 'NoSchedule' }] }, { disk: 'hdd' })
  stage.addNode('n3', {}, { disk: 'ssd' })
  await stage.clock.advance(10_000)
  expect(stage.words()).toEqual(expected)
  expect(stage.status()).toMatchObject({ desiredNumberScheduled: expected.length, numberReady: expected.length })
})

test('follows nodes that come, change their labels, and go', async () => {
  const stage = open({}, ['n1'])
  stage.change({ template: stage.template('one', { nodeSelector: { disk: 'ssd' } }) })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual([])
  stage.addNode('n2', {}, { disk: 'ssd' })
  stage.changeNode('n1', { metadata: { labels: { disk: 'ssd' } } })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['n1:one', 'n2:one'])
  stage.changeNode('n1', { metadata: { labels: { disk: null } } })
  stage.registry.delete('nodes', undefined, 'n2')
  await stage.clock.advance(90_000)
  expect(stage.words()).toEqual([])
  expect(stage.status()).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 0 })
})

test('a taint with NoSchedule leaves a pod on its node, and one with NoExecute ends it', async () => {
  const stage = open()
  await stage.clock.advance(5_000)
  stage.changeNode('n1', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n1:one', 'n2:one'])
  expect(stage.status()).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 1 })
  stage.changeNode('n1', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n2:one'])
})

test('a cordoned node gets its pod, and so does an unreachable one', async () => {
  const stage = open({}, [])
  stage.addNode('n1', { unschedulable: true })
  stage.addNode('n2', { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n1:one', 'n2:one'])
})

test('replaces a pod that has ended, a failed one after a back-off that doubles', async () => {
  const stage = open({}, ['n1'])
  await stage.clock.advance(5_000)
  const made: number[] = []
  const start = stage.clock.now()
  stage.registry.subscribe('pods', ({ type }) => {
    if (type === 'ADDED') made.push(stage.clock.now() - start)
  })
  for (let failure = 0; failure < 3; failure++) {
    stage.fail(stage.podOn('n1'))
    await stage.clock.advance(0)
    const wait = stage.podOn('n1') === undefined || !hasEnded(stage.podOn('n1') ?? {}) ? 100 : 4_000
    await stage.clock.advance(wait)
  }
  expect(made).toEqual([0, 1_000, 4_100])
  const found = stage.events().filter((line) => line.startsWith('FailedDaemonPod'))
  expect(found).toHaveLength(3)
  expect(found[0]).toMatch(
    /^FailedDaemonPod x1: Found failed daemon pod default\/ds-\w+ on node n1, will try to kill it$/,
  )
  stage.fail(stage.podOn('n1'), 'Succeeded')
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n1:one'])
  expect(stage.events().join('\n')).toContain('SucceededDaemonPod x1: Found succeeded daemon pod')
})

test('the back-off of a node is at most 15 minutes, and is forgotten after 30', () => {
  const minute = 60_000
  const failed = createFailedPods()
  let now = 0
  const waits = Array.from({ length: 13 }, () => {
    expect(failed.waitMs('n', now)).toBe(0)
    const ms = failed.waitMs('n', now)
    now += ms
    return ms
  })
  expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 4_000])
  expect(waits.at(-1)).toBe(15 * minute)
  expect(failed.waitMs('other', now)).toBe(0)
  now += 31 * minute
  expect([failed.waitMs('n', now), failed.waitMs('n', now)]).toEqual([0, 1_000])
})

test('a rolling update keeps to its limits, and reaches every node', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom({ maxUnavailable: 1 }, { maxUnavailable: '50%' }, { maxUnavailable: 0, maxSurge: 2 }),
      async (count, rollingUpdate) => {
        const stage = open(
          { updateStrategy: { rollingUpdate } },
          Array.from({ length: count - 1 }, (_, index) => `n${index}`),
        )
        await stage.clock.advance(5_000)
        const limit =
          rollingUpdate.maxUnavailable === '50%' ? Math.ceil(count / 2) : Number(rollingUpdate.maxUnavailable)
        stage.change({ template: stage.template('two') })
        for (let step = 0; step < 60; step++) {
          await stage.clock.advance(500)
          const { numberUnavailable = 0 } = stage.status()
          expect(numberUnavailable).toBeLessThanOrEqual(limit)
          const staying = stage.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          expect(staying.length).toBeLessThanOrEqual(count + ('maxSurge' in rollingUpdate ? 2 : 0))
        }
        expect(stage.words()).toEqual(stage.words().map((word) => word.replace('one', 'two')))
        expect(stage.status()).toMatchObject({ updatedNumberScheduled: count, numberAvailable: count })
        await stage.cluster.stop()
      },
    ),
    { numRuns: 12 },
  )
})

test('with OnDelete, a pod gets the new template when it is deleted', async () => {
  const stage = open({ updateStrategy: { type: 'OnDelete' } })
  await stage.clock.advance(5_000)
  stage.change({ template: stage.template('two') })
  await stage.clock.advance(5_000)
  expect(stage.status()).toMatchObject({ numberAvailable: 3 })
  stage.registry.delete('pods', 'default', stage.podOn('n1')?.metadata.name ?? '', { gracePeriodSeconds: 0 })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'n1:two', 'n2:one'])
})

test('keeps as many old revisions as the limit says', async () => {
  const stage = open({ revisionHistoryLimit: 1 }, [])
  for (const word of ['two', 'three']) {
    await stage.clock.advance(10_000)
    stage.change({ template: stage.template(word) })
  }
  await stage.clock.advance(20_000)
  expect(stage.registry.list(revisions).map(({ revision }) => revision)).toEqual(expect.arrayContaining([2, 3]))
  expect(stage.registry.list(revisions)).toHaveLength(2)
})

test('counts a pod as available after minReadySeconds', async () => {
  const stage = open({ minReadySeconds: 20 }, [])
  await stage.clock.advance(10_000)
  expect(stage.status()).toMatchObject({ numberReady: 1, numberUnavailable: 1 })
  await stage.clock.advance(20_000)
  expect(stage.status()).toMatchObject({ numberReady: 1, numberAvailable: 1 })
})

test('releases a pod whose labels change, and adopts it again when they change back', async () => {
  const stage = open({}, [])
  await stage.clock.advance(5_000)
  const [first] = stage.pods()
  const relabel = (app: string) =>
    stage.registry.patch(
      'pods',
      { namespace: 'default', name: first?.metadata.name ?? '' },
      { type: 'merge', body: { metadata: { labels: { app } } } },
    )
  relabel('b')
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one', 'dayfly:one'])
  expect(stage.status()).toMatchObject({ currentNumberScheduled: 1 })
  relabel('a')
  await stage.clock.advance(5_000)
  expect(stage.pods().map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid])
})

test('a refused pod is an Event, and is tried again', async () => {
  const stage = open({}, [])
  stage.change({ template: stage.template('one', { serviceAccountName: 'later' }) })
  await stage.clock.advance(3_000)
  expect(stage.events().join('\n')).toMatch(/FailedCreate x\d: Error creating: .*later/)
  stage.registry.create('serviceaccounts', { metadata: { name: 'later', namespace: 'default' } })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['dayfly:one'])
})

test('a deleted DaemonSet leaves no pod and no revision', async () => {
  const stage = open()
  await stage.clock.advance(5_000)
  stage.registry.delete(resource, 'default', 'ds')
  await stage.clock.advance(60_000)
  expect([...stage.pods(), ...stage.registry.list(revisions)]).toEqual([])
})
