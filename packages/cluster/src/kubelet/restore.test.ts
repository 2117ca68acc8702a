// A kubelet that starts again: the runtime decides which containers exist and how they ended, also against an earlier report.
import { expect, test } from 'vitest'
import { field, isObject } from '../api/values/json.ts'
import { containerOf, openPodStage, podLine } from '../pod-stage.fixture.ts'
import type { StoredObject } from '../store/object.ts'

const runner = containerOf('runner')
type Stage = ReturnType<typeof openPodStage>

/** Puts a status into the store as if the kubelet had been killed right after it. */
function report(stage: Stage, change: (status: object, container: object) => object): void {
  const pod = stage.pod() as StoredObject
  const status = field(pod, 'status')
  const [container] = (field(status, 'containerStatuses') ?? []) as readonly object[]
  if (!isObject(status) || !container) throw new Error('the pod has no status')
  const changed = { ...status, containerStatuses: [change(status, container)] }
  stage.registry.update('pods', { ...pod, status: changed }, { subresource: 'status' })
}

const starts = (stage: Stage) => stage.actions().filter((action) => action.includes('start'))

test('a container that ended while no kubelet ran has its own exit code and time, and does not run again', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 20_000, exitCode: 7 } } })
  const { status } = stage.create({ containers: [runner] })
  expect(status).toMatchObject({ phase: 'Pending' })
  await stage.clock.advance(5_000)
  const started = field(stage.pod(), 'status', 'startTime')
  stage.cluster.kubelet.stop()
  await stage.clock.advance(60_000)
  stage.cluster.kubelet.start()
  await stage.clock.advance(1_000)
  expect(stage.seen.at(-1)).toBe('65s Failed runner=Error(7)')
  expect(starts(stage)).toEqual(['0s start runner.0'])
  const [{ state }] = field(stage.pod(), 'status', 'containerStatuses') as [{ state: { terminated: object } }]
  const { startedAt, finishedAt } = state.terminated as { startedAt: string; finishedAt: string }
  expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBe(20_000)
  expect(field(stage.pod(), 'status', 'startTime')).toBe(started)
})

test('an attempt that was never reported is taken over, with the end of the one before it', async () => {
  const scripts = { runner: (attempt: number) => (attempt === 0 ? { endsAfterMs: 2_000, exitCode: 3 } : {}) }
  const stage = openPodStage({ scripts })
  stage.create({ containers: [runner], restartPolicy: 'OnFailure' })
  await stage.clock.advance(1_000)
  const [first] = field(stage.pod(), 'status', 'containerStatuses') as readonly object[]
  await stage.clock.advance(9_000)
  expect(starts(stage)).toEqual(['0s start runner.0', '2s start runner.1'])
  stage.cluster.kubelet.stop()
  report(stage, () => first ?? {})
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(starts(stage).length).toBe(2)
  expect(podLine(stage.pod() as StoredObject)).toBe('Running runner=running,started,ready#1')
  const [status] = field(stage.pod(), 'status', 'containerStatuses') as readonly object[]
  expect(field(status, 'lastState', 'terminated')).toMatchObject({ exitCode: 3, reason: 'Error' })
})

test('an end that was reported with the number of the attempt after it starts nothing', async () => {
  const scripts = { runner: (attempt: number) => (attempt === 0 ? { endsAfterMs: 2_000, exitCode: 3 } : {}) }
  const stage = openPodStage({ scripts })
  stage.create({ containers: [runner], restartPolicy: 'OnFailure' })
  await stage.clock.advance(5_000)
  stage.cluster.kubelet.stop()
  // The kubelet was killed while it started attempt 1, and its last report still had the end of attempt 0.
  report(stage, (_, status) => {
    const terminated = field(status, 'lastState', 'terminated')
    return { ...status, state: { terminated }, lastState: { terminated }, restartCount: 1 }
  })
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(starts(stage)).toEqual(['0s start runner.0', '2s start runner.1'])
  expect(podLine(stage.pod() as StoredObject)).toBe('Running runner=running,started,ready#1')
})

test('a container in its back-off starts again with the next number', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 1_000, exitCode: 3 } } })
  stage.create({ containers: [runner], restartPolicy: 'Always' })
  await stage.clock.advance(3_000)
  expect(podLine(stage.pod() as StoredObject)).toBe('Running runner=CrashLoopBackOff#1')
  stage.cluster.kubelet.stop()
  stage.cluster.kubelet.start()
  await stage.clock.advance(500)
  expect(starts(stage)).toEqual(['0s start runner.0', '1s start runner.1', '3s start runner.2'])
  expect(podLine(stage.pod() as StoredObject)).toBe('Running runner=running,started,ready#2')
})

test('a restart of the kubelet changes nothing in the status of a container that is started and ready', async () => {
  const probe = { exec: { command: ['ready'] }, periodSeconds: 1, initialDelaySeconds: 2 }
  const stage = openPodStage()
  stage.create({ containers: [{ ...runner, startupProbe: probe, readinessProbe: probe, livenessProbe: probe }] })
  await stage.clock.advance(10_000)
  const before = stage.pod()
  expect(podLine(before as StoredObject)).toBe('Running runner=running,started,ready')
  stage.cluster.kubelet.stop()
  await stage.clock.advance(5_000)
  stage.cluster.kubelet.start()
  await stage.clock.advance(10_000)
  expect(stage.pod()).toEqual(before)
})

test('the deadline of a pod counts from its first start', async () => {
  const stage = openPodStage()
  stage.create({ containers: [runner], activeDeadlineSeconds: 30 })
  await stage.clock.advance(20_000)
  stage.cluster.kubelet.stop()
  stage.cluster.kubelet.start()
  await stage.clock.advance(12_000)
  expect(stage.seen.at(-1)).toBe('30s Failed runner=Error(143)')
})

test('a container whose Secret is gone ends as usual after a restart of the kubelet', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 20_000 } } })
  stage.registry.create('secrets', { metadata: { name: 's', namespace: 'default' } })
  const volumes = [{ name: 's', secret: { secretName: 's' } }]
  stage.create({ containers: [runner], volumes })
  await stage.clock.advance(5_000)
  stage.cluster.kubelet.stop()
  stage.registry.delete('secrets', 'default', 's')
  stage.cluster.kubelet.start()
  await stage.clock.advance(20_000)
  expect(stage.seen.at(-1)).toBe('20s Succeeded runner=Completed(0)')
})
