// The order and the grace period in which a pod's containers end, on a virtual clock.
import { expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

const runner = containerOf('runner')
const sidecar = (name: string) => containerOf(name, { restartPolicy: 'Always' })

test('sidecars end after the regular containers, the last first', async () => {
  const onTerm = { afterMs: 1_000, exitCode: 0 }
  const stage = openPodStage({ scripts: { one: { onTerm }, two: { onTerm }, runner: { onTerm } } })
  stage.create({ initContainers: [sidecar('one'), sidecar('two')], containers: [runner] })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(10_000)
  expect(stage.actions().slice(3)).toEqual([
    '1s term runner.0',
    '2s end runner.0',
    '2s term two.0',
    '3s end two.0',
    '3s term one.0',
    '4s end one.0',
  ])
  expect(stage.seen.slice(-2)).toEqual([
    '4s Succeeded! one=Completed(0) two=Completed(0) runner=Completed(0)',
    '4s gone',
  ])
})

test('all containers share one grace period: a waiting container gets SIGTERM at its end, and SIGKILL two seconds later', async () => {
  const stage = openPodStage({ scripts: { one: { onTerm: 'ignored' }, runner: { onTerm: 'ignored' } } })
  stage.create({ initContainers: [sidecar('one')], containers: [runner], terminationGracePeriodSeconds: 5 })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(20_000)
  expect(stage.actions().slice(2)).toEqual([
    '1s term runner.0',
    '6s kill runner.0',
    '6s end runner.0',
    '6s term one.0',
    '8s kill one.0',
    '8s end one.0',
  ])
})

test.each([
  [1, '3s kill runner.0'],
  [3, '4s kill runner.0'],
])(
  'a first DELETE with a grace period of %i s is used, but a stop takes at least two seconds',
  async (gracePeriodSeconds, action) => {
    const stage = openPodStage({ scripts: { runner: { onTerm: 'ignored' } } })
    stage.create({ containers: [runner] })
    await stage.clock.advance(1_000)
    stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds })
    await stage.clock.advance(60_000)
    expect(stage.actions()).toContain(action)
  },
)

test('a shorter grace on a second DELETE changes the object, not the stop', async () => {
  const stage = openPodStage({ scripts: { runner: { onTerm: 'ignored' } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(3_000)
  stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 1 })
  expect(stage.pod()?.metadata.deletionGracePeriodSeconds).toBe(1)
  await stage.clock.advance(60_000)
  expect(stage.actions().slice(1)).toEqual(['1s term runner.0', '31s kill runner.0', '31s end runner.0'])
  expect(stage.seen.at(-1)).toBe('31s gone')
})

test('a DELETE while the sidecar stops does not shorten its stop', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 1_000 }, one: { onTerm: 'ignored' } } })
  stage.create({ initContainers: [sidecar('one')], containers: [runner] })
  await stage.clock.advance(2_000)
  stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 1 })
  await stage.clock.advance(60_000)
  expect(stage.seen.at(-1)).toBe('31s gone')
})

test('grace period 0 removes the object at once, while the processes are still being stopped', async () => {
  const stage = openPodStage({ scripts: { runner: { onTerm: 'ignored' } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  expect(stage.pod()).toBeUndefined()
  await stage.clock.advance(1_000)
  expect(stage.runtime.running()).toBe(1)
  await stage.clock.advance(10_000)
  expect(stage.actions().slice(1)).toEqual(['1s term runner.0', '3s kill runner.0', '3s end runner.0'])
})

test('preStop hooks use the same grace period, and all of them start at once', async () => {
  const lifecycle = { preStop: { exec: { command: ['bye'] } } }
  const exec = () => ({ exitCode: 0, afterMs: 2_000 })
  const stage = openPodStage({ scripts: { runner: { exec, onTerm: 'ignored' }, one: { exec } } })
  const containers = [{ ...runner, lifecycle }]
  stage.create({ initContainers: [{ ...sidecar('one'), lifecycle }], containers, terminationGracePeriodSeconds: 10 })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(60_000)
  expect(stage.actions().slice(2)).toEqual([
    '3s term runner.0',
    '11s kill runner.0',
    '11s end runner.0',
    '11s term one.0',
    '11s end one.0',
  ])
})

test('a hung postStart hook holds up the pod and its deletion, until the container itself ends', async () => {
  const lifecycle = { postStart: { exec: { command: ['hang'] } } }
  const stage = openPodStage({ scripts: { runner: { exec: () => 'hangs', endsAfterMs: 900_000 } } })
  stage.create({ containers: [{ ...runner, lifecycle }, containerOf('second')], terminationGracePeriodSeconds: 5 })
  await stage.clock.advance(10_000)
  expect(stage.seen.at(-1)).toBe('0.04s Pending runner=ContainerCreating second=ContainerCreating')
  expect(stage.events()).toContain('Started x1: Container started')
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(600_000)
  expect(stage.actions()).toEqual(['0s start runner.0'])
  expect(stage.pod()).toBeDefined()
  await stage.clock.advance(600_000)
  // The kubelet then starts the second container of a pod that is being deleted, and ends it again.
  expect(stage.actions()).toEqual([
    '0s start runner.0',
    '900s end runner.0',
    '900s start second.0',
    '900s term second.0',
    '900s end second.0',
  ])
  expect(stage.pod()).toBeUndefined()
})

test('a failed postStart hook kills the container; the phase does not show it if the container exits with 0 on SIGTERM', async () => {
  const lifecycle = { postStart: { exec: { command: ['fail'] } } }
  const script = { exec: () => ({ exitCode: 7, output: 'no' }), onTerm: { afterMs: 0, exitCode: 0 } }
  const stage = openPodStage({ scripts: { runner: script } })
  stage.create({ containers: [{ ...runner, lifecycle }] })
  await stage.clock.advance(10_000)
  expect(stage.seen.at(-1)).toBe('0s Succeeded runner=Completed(0)')
  expect(stage.events()).toEqual(
    expect.arrayContaining(['FailedPostStartHook x1: PostStartHook failed', 'Killing x1: FailedPostStartHook']),
  )
})

test('activeDeadlineSeconds ends the pod as Failed with DeadlineExceeded', async () => {
  const stage = openPodStage()
  stage.create({ containers: [runner], activeDeadlineSeconds: 8 })
  await stage.clock.advance(20_000)
  expect(stage.seen.at(-1)).toBe('8s Failed runner=Error(143)')
  expect(field(stage.pod(), 'status', 'reason')).toBe('DeadlineExceeded')
})

test('a finalizer keeps only the object of a pod that has ended', async () => {
  const stage = openPodStage()
  const pod = stage.create({ containers: [runner] })
  stage.registry.update('pods', { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/hold'] } })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(60_000)
  expect(stage.seen.at(-1)).toBe('1s Failed! runner=Error(143)')
  const held = stage.pod()
  stage.registry.update('pods', { ...held, metadata: { ...held?.metadata, finalizers: [] } })
  expect(stage.pod()).toBeUndefined()
  await stage.clock.advance(1_000)
})
