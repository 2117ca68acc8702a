// StatefulSets on the whole embedded cluster, on a virtual clock.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field, list, objectAt, text } from '../../api/json.ts'
import { containerOf, openPodStage, type PodStageOptions } from '../../pod-stage.fixture.ts'
import type { StoredObject } from '../../store/object.ts'

const resource = 'statefulsets.apps'
const revisions = 'controllerrevisions.apps'
const labels = { app: 'a' }

function open(spec: object = {}, options: PodStageOptions = {}) {
  const stage = openPodStage(options)
  const { registry } = stage
  const template = (word: string, more: object = {}) => ({
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [containerOf(word)], ...more },
  })
  const create = () =>
    registry.create(resource, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 3, serviceName: 'svc', selector: { matchLabels: labels }, template: template('one'), ...spec },
    })
  create()
  const pods = () => registry.list('pods').filter(({ metadata }) => metadata.name.startsWith('web-'))
  return {
    ...stage,
    template,
    recreate: create,
    change: (body: object) =>
      registry.patch(resource, { namespace: 'default', name: 'web' }, { type: 'merge', body: { spec: body } }),
    set: () => registry.get(resource, 'default', 'web'),
    status: () => objectAt(registry.get(resource, 'default', 'web'), 'status'),
    pods,
    /** The pods as `ordinal:word`, with `!` while they are deleted. */
    words: () =>
      pods().map(
        ({ metadata, spec }) =>
          `${metadata.name.slice(4)}:${text(list(spec, 'containers')[0], 'name')}${metadata.deletionTimestamp ? '!' : ''}`,
      ),
    revisions: () => [...registry.list(revisions)].sort((one, other) => numberOf(one) - numberOf(other)),
    deletePod: (name: string) => registry.delete('pods', 'default', name, { gracePeriodSeconds: 0 }),
  }
}

function numberOf(revision: StoredObject): number {
  return Number(revision['revision'])
}

/** Returns the order of what the pods went through, without times. */
function order(stage: ReturnType<typeof open>): readonly string[] {
  const seen: string[] = []
  stage.registry.subscribe('pods', ({ type, object, before }) => {
    const { name, deletionTimestamp } = object.metadata
    if (type === 'ADDED') seen.push(`+${name}`)
    else if (type === 'DELETED') seen.push(`-${name}`)
    else if (deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined) seen.push(`~${name}`)
    else if (isReady(object) && !isReady(before)) seen.push(`ready ${name}`)
  })
  return seen
}

function isReady(pod: object | undefined): boolean {
  return list(pod, 'status', 'conditions').some(
    (one) => text(one, 'type') === 'Ready' && text(one, 'status') === 'True',
  )
}

test('starts one pod after the other, each with its identity', async () => {
  const stage = open()
  const seen = order(stage)
  await stage.clock.advance(10_000)
  const each = ['web-0', 'web-1', 'web-2'].flatMap((name) => [`+${name}`, `ready ${name}`])
  expect(seen).toEqual(each)
  const [, pod] = stage.pods()
  const [revision] = stage.revisions()
  expect(pod).toMatchObject({
    metadata: {
      name: 'web-1',
      generateName: 'web-',
      labels: {
        app: 'a',
        'statefulset.kubernetes.io/pod-name': 'web-1',
        'apps.kubernetes.io/pod-index': '1',
        'controller-revision-hash': revision?.metadata.name,
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', controller: true }],
    },
    spec: { hostname: 'web-1', subdomain: 'svc' },
  })
  expect(stage.status()).toEqual({
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: revision?.metadata.name,
    updateRevision: revision?.metadata.name,
  })
  expect(stage.events()).toContain('SuccessfulCreate x1: Create Pod web-1 in StatefulSet web successful')
})

test('with Parallel, starts and ends all pods at once', async () => {
  const stage = open({ podManagementPolicy: 'Parallel' }, { scripts: { one: { onTerm: 'ignored' } } })
  const seen = order(stage)
  await stage.clock.advance(10_000)
  expect(seen.slice(0, 3)).toEqual(['+web-0', '+web-1', '+web-2'])
  stage.change({ replicas: 0 })
  await stage.clock.advance(500)
  expect(stage.words()).toEqual(['0:one!', '1:one!', '2:one!'])
})

test('scales down from the end, and each pod waits for the end of the one before', async () => {
  const stage = open()
  await stage.clock.advance(10_000)
  const seen = order(stage)
  stage.change({ replicas: 1 })
  await stage.clock.advance(10_000)
  expect(seen.filter((line) => !line.startsWith('ready'))).toEqual(['~web-2', '-web-2', '~web-1', '-web-1'])
  expect(stage.status()).toMatchObject({ replicas: 1, observedGeneration: 2 })
})

test('waits with the next pod until a pod is ready, and makes a missing one again first', async () => {
  const readinessProbe = { exec: { command: ['true'] }, initialDelaySeconds: 60 }
  const containers = [containerOf('one', { readinessProbe })]
  const stage = open({ template: { metadata: { labels }, spec: { containers } } })
  await stage.clock.advance(30_000)
  expect(stage.words()).toEqual(['0:one'])
  await stage.clock.advance(45_000)
  expect(stage.words()).toEqual(['0:one', '1:one'])
  stage.deletePod('web-0')
  await stage.clock.advance(50_000)
  expect(stage.words()).toEqual(['0:one', '1:one'])
})

test('counts a pod as available after minReadySeconds', async () => {
  const stage = open({ replicas: 2, minReadySeconds: 20 })
  await stage.clock.advance(19_000)
  expect(stage.words()).toEqual(['0:one'])
  expect(stage.status()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['0:one', '1:one'])
  await stage.clock.advance(20_000)
  expect(stage.status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 })
})

test('replaces a pod that has failed, by a new one with the same name', async () => {
  const stage = open({ template: { metadata: { labels }, spec: { containers: [containerOf('one')] } } })
  await stage.clock.advance(10_000)
  const [, before] = stage.pods()
  const failed = { ...before, status: { ...objectAt(before, 'status'), phase: 'Failed' } }
  stage.registry.update('pods', failed, { subresource: 'status' })
  await stage.clock.advance(5_000)
  const [, after] = stage.pods()
  expect(after?.metadata.name).toBe('web-1')
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid)
  expect(stage.status()).toMatchObject({ readyReplicas: 3 })
})

test('a rolling update replaces the pods from the end, and one at a time', async () => {
  const stage = open()
  await stage.clock.advance(10_000)
  const seen = order(stage)
  const readinessProbe = { exec: { command: ['true'] }, initialDelaySeconds: 5 }
  stage.change({ template: stage.template('two', { containers: [containerOf('two', { readinessProbe })] }) })
  await stage.clock.advance(3_000)
  const [one, two] = stage.revisions().map(({ metadata }) => metadata.name)
  expect(stage.status()).toMatchObject({ currentRevision: one, updateRevision: two, currentReplicas: 2 })
  await stage.clock.advance(60_000)
  const each = ['web-2', 'web-1', 'web-0'].flatMap((name) => [`~${name}`, `-${name}`, `+${name}`, `ready ${name}`])
  expect(seen).toEqual(each)
  expect(stage.words()).toEqual(['0:two', '1:two', '2:two'])
  expect(stage.status()).toMatchObject({ currentRevision: two, updateRevision: two, currentReplicas: 3 })
})

test('below the partition, pods keep the template that they had, also when they are made again', async () => {
  const stage = open({ updateStrategy: { rollingUpdate: { partition: 2 } } })
  await stage.clock.advance(10_000)
  stage.change({ template: stage.template('two') })
  await stage.clock.advance(20_000)
  expect(stage.words()).toEqual(['0:one', '1:one', '2:two'])
  stage.deletePod('web-0')
  stage.deletePod('web-2')
  await stage.clock.advance(20_000)
  expect(stage.words()).toEqual(['0:one', '1:one', '2:two'])
  expect(stage.status()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 })
  stage.change({ updateStrategy: { rollingUpdate: { partition: 0 } } })
  await stage.clock.advance(20_000)
  expect(stage.words()).toEqual(['0:two', '1:two', '2:two'])
})

test('with OnDelete, a pod gets the new template when it is deleted', async () => {
  const stage = open({ updateStrategy: { type: 'OnDelete' } })
  await stage.clock.advance(10_000)
  stage.change({ template: stage.template('two') })
  await stage.clock.advance(10_000)
  stage.deletePod('web-1')
  await stage.clock.advance(10_000)
  expect(stage.words()).toEqual(['0:one', '1:two', '2:one'])
})

test('keeps as many old revisions as the limit says, and a template that comes back gets a new number', async () => {
  const stage = open({ replicas: 1, revisionHistoryLimit: 2 })
  for (const word of ['two', 'three', 'four']) {
    await stage.clock.advance(10_000)
    stage.change({ template: stage.template(word) })
  }
  await stage.clock.advance(10_000)
  expect(stage.revisions().map(numberOf)).toEqual([2, 3, 4])
  expect(field(stage.revisions()[2], 'data', 'spec', 'template')).toMatchObject({ $patch: 'replace' })
  stage.change({ template: stage.template('three') })
  await stage.clock.advance(10_000)
  expect(stage.words()).toEqual(['0:three'])
  expect(stage.revisions().map(numberOf)).toEqual([2, 4, 5])
})

const claimed = {
  volumeClaimTemplates: [{ metadata: { name: 'd', labels: { x: 'y' } }, spec: { accessModes: ['ReadWriteOnce'] } }],
  podManagementPolicy: 'Parallel',
}

type Change =
  | { readonly is: 'scale'; readonly replicas: number }
  | { readonly is: 'template'; readonly word: 'one' | 'two' | 'three' }
  | { readonly is: 'partition'; readonly partition: number }
  | { readonly is: 'delete'; readonly ordinal: number }

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ is: fc.constant('scale' as const), replicas: fc.nat(4) }),
  fc.record({ is: fc.constant('template' as const), word: fc.constantFrom('one' as const, 'two', 'three') }),
  fc.record({ is: fc.constant('partition' as const), partition: fc.nat(4) }),
  fc.record({ is: fc.constant('delete' as const), ordinal: fc.nat(4) }),
)

test('no pod starts before those below it are ready, and every sequence of changes comes to its end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyChange, fc.nat(6_000)), { maxLength: 8 }), async (changes) => {
      const stage = open()
      const early: string[] = []
      stage.registry.subscribe('pods', ({ type, object }) => {
        const ordinal = Number(object.metadata.name.slice(4))
        const below = stage.pods().filter(({ metadata }) => Number(metadata.name.slice(4)) < ordinal)
        if (type === 'ADDED' && below.filter(isReady).length < ordinal) early.push(object.metadata.name)
      })
      let wanted = { replicas: 3, word: 'one', partition: 0 }
      for (const [change, ms] of changes) {
        if (change.is === 'delete' && stage.pod(`web-${change.ordinal}`)) stage.deletePod(`web-${change.ordinal}`)
        else if (change.is !== 'delete') wanted = { ...wanted, ...change }
        const updateStrategy = { rollingUpdate: { partition: wanted.partition } }
        stage.change({ replicas: wanted.replicas, template: stage.template(wanted.word), updateStrategy })
        await stage.clock.advance(ms)
      }
      stage.change({ updateStrategy: { rollingUpdate: { partition: 0 } } })
      await stage.clock.advance(120_000)
      expect(stage.words()).toEqual(
        Array.from({ length: wanted.replicas }, (_, ordinal) => `${ordinal}:${wanted.word}`),
      )
      expect(early).toEqual([])
      expect(stage.status()['currentRevision']).toBe(stage.status()['updateRevision'])
      await stage.cluster.stop()
    }),
    { numRuns: 40 },
  )
})

test('creates a claim for each pod, and keeps it by default', async () => {
  const stage = open({ ...claimed, replicas: 2 })
  await stage.clock.advance(1_000)
  const claims = () => stage.registry.list('persistentvolumeclaims').map(({ metadata }) => metadata.name)
  expect(claims()).toEqual(['d-web-0', 'd-web-1'])
  expect(stage.registry.get('persistentvolumeclaims', 'default', 'd-web-0')).toMatchObject({
    metadata: { labels: { app: 'a', x: 'y' } },
    spec: { accessModes: ['ReadWriteOnce'] },
  })
  expect(stage.pods()[1]).toMatchObject({
    spec: { volumes: expect.arrayContaining([{ name: 'd', persistentVolumeClaim: { claimName: 'd-web-1' } }]) },
  })
  stage.change({ replicas: 1 })
  await stage.clock.advance(60_000)
  stage.registry.delete(resource, 'default', 'web')
  await stage.clock.advance(60_000)
  expect(stage.pods()).toEqual([])
  expect(claims()).toEqual(['d-web-0', 'd-web-1'])
})

test.each([
  [{ whenScaled: 'Delete' }, ['d-web-0'], ['d-web-0']],
  [{ whenDeleted: 'Delete' }, ['d-web-0', 'd-web-1'], []],
  [{ whenScaled: 'Delete', whenDeleted: 'Delete' }, ['d-web-0'], []],
])('with the retention policy %j, claims end with their pods or with the set', async (policy, scaled, deleted) => {
  const stage = open({ ...claimed, replicas: 2, persistentVolumeClaimRetentionPolicy: policy })
  const claims = () => stage.registry.list('persistentvolumeclaims').map(({ metadata }) => metadata.name)
  await stage.clock.advance(1_000)
  stage.change({ replicas: 1 })
  await stage.clock.advance(60_000)
  expect(claims()).toEqual(scaled)
  stage.registry.delete(resource, 'default', 'web')
  await stage.clock.advance(60_000)
  expect(claims()).toEqual(deleted)
})

test('a pod waits while the claim of the one before is deleted', async () => {
  const stage = open({ ...claimed, replicas: 2, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } })
  await stage.clock.advance(1_000)
  const protect = (finalizers: readonly string[]) =>
    stage.registry.patch(
      'persistentvolumeclaims',
      { namespace: 'default', name: 'd-web-1' },
      { type: 'merge', body: { metadata: { finalizers } } },
    )
  protect(['kubernetes.io/pvc-protection'])
  stage.change({ replicas: 1 })
  await stage.clock.advance(60_000)
  stage.change({ replicas: 2 })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['0:one'])
  protect([])
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['0:one', '1:one'])
})

test('a set that comes back adopts the pods and the revisions of the one before', async () => {
  const stage = open()
  await stage.clock.advance(10_000)
  const uids = () => stage.pods().map(({ metadata }) => metadata.uid)
  const before = uids()
  stage.registry.delete(resource, 'default', 'web', { propagationPolicy: 'Orphan' })
  await stage.clock.advance(1_000)
  stage.recreate()
  await stage.clock.advance(10_000)
  expect(uids()).toEqual(before)
  expect(stage.revisions()).toHaveLength(1)
  expect(stage.status()).toMatchObject({ readyReplicas: 3 })
})

test('adopts a pod of its name and labels as soon as it is there, and ends it if it is surplus', async () => {
  const stage = open({ replicas: 1 })
  await stage.clock.advance(5_000)
  const create = (name: string) =>
    stage.registry.create('pods', {
      metadata: { name, namespace: 'default', labels },
      spec: { containers: [containerOf('one')], terminationGracePeriodSeconds: 1 },
    })
  create('web-7')
  create('web-x')
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['0:one', 'x:one'])
})

test('releases a pod that no longer matches, and leaves foreign pods alone', async () => {
  const stage = open({ replicas: 1 })
  await stage.clock.advance(5_000)
  stage.create({ containers: [containerOf('other')] }, 'other')
  const foreign = stage.pod('other')
  stage.registry.update('pods', { ...foreign, metadata: { ...foreign?.metadata, labels } })
  const [pod] = stage.pods()
  stage.registry.update('pods', { ...pod, metadata: { ...pod?.metadata, labels: { app: 'b' } } })
  await stage.clock.advance(5_000)
  expect(stage.pods()[0]?.metadata.ownerReferences ?? []).toEqual([])
  expect(stage.pod('other')?.metadata.ownerReferences).toBeUndefined()
})

test('a refused pod is an Event, and is tried again', async () => {
  const stage = open()
  stage.change({ template: stage.template('one', { serviceAccountName: 'later' }) })
  await stage.clock.advance(3_500)
  expect(stage.events().join('\n')).toMatch(
    /FailedCreate x\d: Create Pod web-0 in StatefulSet web failed error: .*later/,
  )
  stage.registry.create('serviceaccounts', { metadata: { name: 'later', namespace: 'default' } })
  await stage.clock.advance(10_000)
  expect(stage.words()).toHaveLength(3)
})
