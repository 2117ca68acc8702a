// A kubelet stops, and the cluster finds out, on a virtual clock.
import { expect, test } from 'vitest'
import { conditionOf } from '../../api/values/conditions.ts'
import { field, objects } from '../../api/values/json.ts'
import { conditionLine, containerOf, openPodStage } from '../../pod-stage.fixture.ts'

type Stage = ReturnType<typeof openPodStage>

const containers = [containerOf('runner')]
const node = (stage: Stage) => {
  const found = stage.registry.get('nodes', undefined, 'dayfly')
  if (!found) throw new Error('there is no node')
  return found
}
const ready = (stage: Stage) => `${conditionOf(node(stage), 'Ready')?.['status']}`
const taints = (stage: Stage) => objects(node(stage), 'spec', 'taints').map(({ key, effect }) => `${key}:${effect}`)

/** Another node that is ready, so that the loss of one node is not the loss of all. */
function addNode(stage: Stage): void {
  const created = stage.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'other' } })
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  stage.registry.update('nodes', { ...created, status }, { subresource: 'status' })
}

test('a node is ready for hours, and unknown 50 s after the last renewal of its Lease', async () => {
  const stage = openPodStage()
  stage.create({ containers })
  await stage.clock.advance(3_600_000)
  expect(ready(stage)).toBe('True')
  stage.cluster.kubelet.stop()
  await stage.clock.advance(49_000)
  expect(ready(stage)).toBe('True')
  await stage.clock.advance(2_000)
  expect(conditionOf(node(stage), 'Ready')).toMatchObject({
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  })
  expect(conditionLine(stage.pod())).toContain('Ready=False ContainersReady=True')
  expect(stage.events()).toContain('NodeNotReady x1: Node is not ready')
})

test('no pod is evicted while no node is ready, and no pod is scheduled to an unreachable node', async () => {
  const stage = openPodStage()
  stage.create({ containers })
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  await stage.clock.advance(3_600_000)
  expect(taints(stage)).toEqual(['node.kubernetes.io/unreachable:NoSchedule'])
  expect(stage.pod()?.metadata.deletionTimestamp).toBeUndefined()
  stage.create({ containers }, 'late')
  await stage.clock.advance(1_000)
  expect(field(stage.pod('late'), 'spec', 'nodeName')).toBeUndefined()
})

test('the pods of a lost node are deleted after the 300 s that they tolerate, and end when the kubelet returns', async () => {
  const stage = openPodStage()
  addNode(stage)
  const tolerations = [{ operator: 'Exists' }]
  stage.create({ containers, nodeName: 'dayfly' })
  stage.create({ containers, nodeName: 'dayfly', tolerations }, 'patient')
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  await stage.clock.advance(345_000)
  expect(taints(stage)).toEqual([
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ])
  expect(stage.pod()?.metadata.deletionTimestamp).toBeUndefined()
  await stage.clock.advance(10_000)
  expect(stage.pod()?.metadata.deletionTimestamp).toBeDefined()
  expect(conditionLine(stage.pod())).toContain('DisruptionTarget=True/DeletionByTaintManager')
  expect(stage.events()).toContain('TaintManagerEviction x1: Marking for deletion Pod default/p')
  await stage.clock.advance(3_600_000)
  expect(stage.runtime.running()).toBe(2)
  stage.cluster.kubelet.start()
  await stage.clock.advance(1_000)
  expect([ready(stage), taints(stage), stage.pod()]).toEqual(['True', [], undefined])
  expect(conditionLine(stage.pod('patient'))).toContain('Ready=True')
})

test('a node that returns in time keeps its pods', async () => {
  const stage = openPodStage()
  addNode(stage)
  stage.create({ containers, nodeName: 'dayfly' })
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  await stage.clock.advance(200_000)
  stage.cluster.kubelet.start()
  await stage.clock.advance(3_600_000)
  expect(stage.pod()?.metadata.deletionTimestamp).toBeUndefined()
  expect(stage.events()).toContain('TaintManagerEviction x1: Cancelling deletion of Pod default/p')
  expect(stage.actions()).toEqual(['0s start runner.0'])
})

test('a NoExecute taint of an operator evicts at once', async () => {
  const stage = openPodStage()
  stage.create({ containers })
  await stage.clock.advance(1_000)
  const spec = { taints: [{ key: 'maintenance', effect: 'NoExecute' }] }
  stage.registry.update('nodes', { ...node(stage), spec })
  await stage.clock.advance(1_000)
  expect(stage.pod()).toBeUndefined()
})

test('a stopped cluster has no timer', async () => {
  const stage = openPodStage()
  stage.cluster.kubelet.stop()
  await stage.clock.advance(60_000)
  await stage.cluster.stop()
  expect(stage.clock.next()).toBeUndefined()
})
