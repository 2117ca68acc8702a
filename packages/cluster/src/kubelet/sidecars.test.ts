// Sidecars and init containers behave as on a real node (docs/reference/real-cluster.md#s4), on a virtual clock.
import { expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { conditionLine, containerOf, openPodStage } from '../pod-stage.fixture.ts'

const runner = containerOf('runner')
const docker = containerOf('docker', { restartPolicy: 'Always' })
const probe = { exec: { command: ['ready'] }, periodSeconds: 1 }

test('a plain pod goes from Pending to Running to Succeeded, with its conditions', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 5_000 } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  expect(conditionLine(stage.pod())).toBe(
    'PodReadyToStartContainers=True Initialized=True Ready=True ContainersReady=True PodScheduled=True',
  )
  await stage.clock.advance(10_000)
  expect(stage.seen).toEqual([
    '0s Pending',
    '0s Running runner=running,started,ready',
    '5s Running runner=Completed(0)',
    '5s Succeeded runner=Completed(0)',
  ])
  expect(conditionLine(stage.pod())).toBe(
    'PodReadyToStartContainers=False Initialized=True/PodCompleted Ready=False/PodCompleted ContainersReady=False/PodCompleted PodScheduled=True',
  )
})

test('a regular helper container that does not end keeps the pod Running forever', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 1_000 } } })
  stage.create({ containers: [runner, containerOf('docker')] })
  await stage.clock.advance(600_000)
  expect(stage.seen.at(-1)).toBe('1s Running docker=running,started,ready runner=Completed(0)')
  expect(conditionLine(stage.pod())).toContain('Initialized=True Ready=False/ContainersNotReady')
})

test.each([
  [0, 'Succeeded', 'Completed(0)'],
  [3, 'Failed', 'Error(3)'],
])(
  'a sidecar ends after the runner, and only the runner’s exit code %i decides the phase',
  async (exitCode, phase, end) => {
    const stage = openPodStage({
      scripts: { runner: { endsAfterMs: 10_000, exitCode }, docker: { onTerm: { afterMs: 1_000, exitCode: 0 } } },
    })
    stage.create({ initContainers: [docker], containers: [runner] })
    await stage.clock.advance(20_000)
    expect(stage.seen).toEqual([
      '0s Pending',
      '0s Pending docker=running,started,ready runner=PodInitializing',
      '0s Running docker=running,started,ready runner=running,started,ready',
      `10s Running docker=running,started,ready runner=${end}`,
      `11s ${phase} docker=Completed(0) runner=${end}`,
    ])
  },
)

test('a sidecar that ignores SIGTERM is killed after the grace period, and the pod succeeds', async () => {
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 1_000 }, docker: { onTerm: 'ignored' } } })
  stage.create({ initContainers: [docker], containers: [runner], terminationGracePeriodSeconds: 3 })
  await stage.clock.advance(20_000)
  expect(stage.seen.at(-1)).toBe('4s Succeeded docker=Error(137) runner=Completed(0)')
})

test('a sidecar with a startup probe delays the runner until the probe succeeds', async () => {
  const exec = (_: readonly string[], elapsedMs: number) => ({
    exitCode: elapsedMs >= 3_000 ? 0 : 1,
    output: 'not yet',
  })
  const stage = openPodStage({ scripts: { docker: { exec } } })
  stage.create({
    initContainers: [{ ...docker, startupProbe: { ...probe, failureThreshold: 10 } }],
    containers: [runner],
  })
  await stage.clock.advance(1_000)
  expect(conditionLine(stage.pod())).toContain('Initialized=False/ContainersNotInitialized')
  await stage.clock.advance(9_000)
  expect(stage.seen).toEqual([
    '0s Pending',
    '0s Pending docker=running runner=PodInitializing',
    '3s Pending docker=running,started,ready runner=PodInitializing',
    '3s Running docker=running,started,ready runner=running,started,ready',
  ])
  expect(stage.events()).toContain('Unhealthy x3: Startup probe failed: not yet')
})

test('a sidecar whose startup probe never succeeds is restarted with back-off and blocks the pod', async () => {
  const stage = openPodStage({ scripts: { docker: { exec: () => ({ exitCode: 1 }) } } })
  stage.create({ initContainers: [{ ...docker, startupProbe: probe }], containers: [runner] })
  await stage.clock.advance(40_000)
  expect(stage.actions()).toEqual([
    '0s start docker.0',
    '2s term docker.0',
    '2s end docker.0',
    '2s start docker.1',
    '4s term docker.1',
    '4s end docker.1',
    '14s start docker.2',
    '16s term docker.2',
    '16s end docker.2',
    '36s start docker.3',
    '38s term docker.3',
    '38s end docker.3',
  ])
  expect(stage.seen.at(-1)).toBe('38s Pending docker=CrashLoopBackOff#3 runner=PodInitializing')
})

test('a sidecar that crashes while the runner runs is restarted, even with restartPolicy Never', async () => {
  const script = (attempt: number) =>
    attempt === 0 ? { endsAfterMs: 5_000, exitCode: 137, reason: 'OOMKilled' as const } : {}
  const stage = openPodStage({ scripts: { docker: script } })
  stage.create({ initContainers: [docker], containers: [runner] })
  await stage.clock.advance(10_000)
  expect(stage.seen.at(-1)).toBe('5s Running docker=running,started,ready#1 runner=running,started,ready')
  const [status] = field(stage.pod(), 'status', 'initContainerStatuses') as object[]
  expect(status).toMatchObject({ lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } }, restartCount: 1 })
})

test.each(['OnFailure', 'Never', undefined])(
  'an init container with restartPolicy %s that never ends hangs the pod in Init',
  async (restartPolicy) => {
    const stage = openPodStage()
    stage.create({
      initContainers: [containerOf('docker', restartPolicy ? { restartPolicy } : {})],
      containers: [runner],
    })
    await stage.clock.advance(600_000)
    expect(stage.seen.at(-1)).toBe('0s Pending docker=running,started runner=PodInitializing')
    expect(conditionLine(stage.pod())).toContain('Initialized=False/ContainersNotInitialized')
    stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 3 })
    await stage.clock.advance(10_000)
    expect(stage.seen.slice(-2)).toEqual(['600s Failed! docker=Error(143) runner=PodInitializing', '600s gone'])
  },
)

test('init containers run in order, and a failed one fails a pod with restartPolicy Never', async () => {
  const stage = openPodStage({ scripts: { one: { endsAfterMs: 1_000 }, two: { endsAfterMs: 1_000, exitCode: 2 } } })
  stage.create({ initContainers: [containerOf('one'), containerOf('two')], containers: [runner] })
  await stage.clock.advance(10_000)
  expect(stage.actions()).toEqual(['0s start one.0', '1s end one.0', '1s start two.0', '2s end two.0'])
  expect(stage.seen.at(-1)).toBe('2s Failed one=Completed(0) two=Error(2) runner=PodInitializing')
})

test('a failed init container is retried if the restart policy allows it', async () => {
  const one = (attempt: number) => ({ endsAfterMs: 1_000, exitCode: attempt < 2 ? 1 : 0 })
  const stage = openPodStage({ scripts: { one } })
  stage.create({ restartPolicy: 'OnFailure', initContainers: [containerOf('one')], containers: [runner] })
  await stage.clock.advance(30_000)
  expect(stage.actions().filter((action) => action.includes('start'))).toEqual([
    '0s start one.0',
    '1s start one.1',
    '12s start one.2',
    '13s start runner.0',
  ])
})
