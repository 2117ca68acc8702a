import { expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { containerOf, openPodStage, podOf } from '../pod-stage.fixture.ts'
import { asJob } from './job/job-object.ts'

type Stage = ReturnType<typeof openPodStage>

const names = (stage: Stage) => stage.registry.list('pods').map(({ metadata }) => metadata.name)
const short = { containers: [containerOf('main')] }

test('deletes the seven oldest of twelve finished Job pods at a threshold of five, keeps all counts, reruns nothing (seen on a real node)', async () => {
  const script = { endsAfterMs: 500 }
  const stage = openPodStage({ scripts: { main: script }, cluster: { terminatedPodGcThreshold: 5 } })
  for (let index = 1; index <= 12; index++) {
    await stage.clock.advance(1_000)
    stage.registry.create('jobs.batch', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `f${String(index).padStart(2, '0')}`, namespace: 'default' },
      spec: { template: { spec: { restartPolicy: 'Never', ...short } } },
    })
  }
  await stage.clock.advance(7_000)
  expect(names(stage)).toHaveLength(12)
  await stage.clock.advance(3_600_000)
  expect(names(stage).map((name) => name.slice(0, 3))).toEqual(['f08', 'f09', 'f10', 'f11', 'f12'])
  const jobs = stage.registry.list('jobs.batch').map(asJob)
  expect(jobs.map(({ status }) => status.succeeded)).toEqual(Array(12).fill(1))
  expect(stage.actions().filter((action) => action.includes('start'))).toHaveLength(12)
})

const load = { completions: 1, parallelism: 1, template: { spec: { restartPolicy: 'Never', ...short } } }

/** Starts 50 Jobs, and 50 more while the first end. Returns how often a pod ran. The Job controller can send ten requests a second. */
async function collectedLoad(tracking: 'finalizers' | 'presence') {
  const stage = openPodStage({
    scripts: { main: { endsAfterMs: 90_000 } },
    cluster: { terminatedPodGcThreshold: 5, jobs: { tracking, requestsPerSecond: 10 } },
  })
  for (const burst of ['a', 'b']) {
    for (let index = 0; index < 50; index++) {
      const metadata = { name: `${burst}${index}`, namespace: 'default' }
      stage.registry.create('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: load })
    }
    await stage.clock.advance(85_000)
  }
  await stage.clock.advance(400_000)
  const starts = stage.actions().filter((action) => action.includes('start')).length
  await stage.cluster.stop()
  return starts
}

test('without tracking, collects pods that a late Job controller has not counted, and they run again', async () => {
  expect(await collectedLoad('presence')).toBeGreaterThan(100)
})

test('with tracking, a late Job controller counts every pod, and none runs again', async () => {
  expect(await collectedLoad('finalizers')).toBe(100)
})

test('deletes evicted pods before older ones', async () => {
  const stage = openPodStage({ scripts: { main: { endsAfterMs: 0 } }, cluster: { terminatedPodGcThreshold: 1 } })
  stage.create(short, 'old')
  await stage.clock.advance(2_000)
  const ghost = stage.create({ ...short, nodeName: 'elsewhere' }, 'evicted')
  stage.registry.update('pods', { ...ghost, status: { phase: 'Failed', reason: 'Evicted' } }, { subresource: 'status' })
  await stage.clock.advance(20_000)
  expect(names(stage)).toEqual(['old'])
})

test('keeps every pod with a threshold of 0', async () => {
  const stage = openPodStage({ scripts: { main: { endsAfterMs: 0 } }, cluster: { terminatedPodGcThreshold: 0 } })
  for (const name of ['a', 'b', 'c']) stage.create(short, name)
  await stage.clock.advance(60_000)
  expect(names(stage)).toEqual(['a', 'b', 'c'])
})

function deadNode(stage: Stage, taints: readonly object[] = []) {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'dead' }, spec: { taints } }
  const created = stage.registry.create('nodes', node)
  const status = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] }
  stage.registry.update('nodes', { ...created, status }, { subresource: 'status' })
}

test('keeps a terminating pod of a dead node, until the Node object is deleted', async () => {
  const stage = openPodStage()
  deadNode(stage)
  stage.create({ ...short, nodeName: 'dead' })
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(3_600_000)
  expect(names(stage)).toEqual(['p'])
  const last: unknown[] = []
  stage.registry.subscribe('pods', ({ object }) => last.push(object))
  stage.registry.delete('nodes', undefined, 'dead')
  await stage.clock.advance(40_000)
  expect(names(stage)).toEqual(['p'])
  await stage.clock.advance(20_000)
  expect(names(stage)).toEqual([])
  const conditions = field(last.at(-1), 'status', 'conditions')
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', reason: 'DeletionByPodGC' }))
  expect(field(last.at(-1), 'status', 'phase')).toBe('Failed')
})

test('deletes a terminating pod of a dead node after the out-of-service taint', async () => {
  const stage = openPodStage()
  deadNode(stage, [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }])
  const tolerations = [{ operator: 'Exists' }]
  stage.create({ ...short, nodeName: 'dead', tolerations }, 'deleted')
  stage.create({ ...short, nodeName: 'dead' }, 'evicted')
  stage.create({ ...short, nodeName: 'dead', tolerations }, 'tolerant')
  stage.registry.delete('pods', 'default', 'deleted')
  await stage.clock.advance(20_000)
  expect(names(stage)).toEqual(['tolerant'])
})

test('marks a deleted pod without a node as failed, even if a finalizer holds its object', async () => {
  const stage = openPodStage()
  const held = podOf({ ...short, nodeSelector: { zone: 'none' } })
  stage.registry.create('pods', { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(20_000)
  expect(field(stage.pod(), 'status', 'phase')).toBe('Failed')
})
