// Failures to start a container, with the words and the retries of a real node.
import { expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { containerOf, openPodStage, type PodStageOptions } from '../pod-stage.fixture.ts'

const runner = containerOf('runner')

function open(options: PodStageOptions = {}) {
  const stage = openPodStage(options)
  const waiting = () => {
    const [status] = (field(stage.pod(), 'status', 'containerStatuses') ?? []) as object[]
    const [reason, message] = ['reason', 'message'].map((name) => field(status, 'state', 'waiting', name))
    return `${reason}: ${message}`
  }
  const createSecret = () => {
    const metadata = { name: 'cred', namespace: 'default' }
    stage.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata, data: { token: 'czNjcmV0' } })
  }
  const started = () => stage.actions().find((action) => action.includes('start'))
  return { ...stage, waiting, createSecret, started }
}

const volume = {
  containers: [{ ...runner, volumeMounts: [{ name: 'v', mountPath: '/run/cred' }] }],
  volumes: [{ name: 'v', secret: { secretName: 'cred' } }],
}
const variable = {
  containers: [{ ...runner, env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 'cred', key: 'token' } } }] }],
}

test.each([
  ['volume', volume],
  ['env', variable],
])('a Secret (%s) that follows its pod within 50 ms causes no delay and no Event', async (_, spec) => {
  const stage = open()
  stage.create(spec)
  await stage.clock.advance(30)
  stage.createSecret()
  await stage.clock.advance(500)
  expect(stage.started()).toBe('0.03s start runner.0')
  expect(stage.seen).toEqual(['0s Pending', '0.03s Running runner=running,started,ready'])
  expect(stage.events().filter((event) => event.includes('not found'))).toEqual([])
})

test('a volume whose Secret is late gets counted FailedMount Events, and the pod starts as soon as the Secret exists', async () => {
  const stage = open()
  stage.create(volume)
  await stage.clock.advance(5_000)
  expect(stage.waiting()).toBe('ContainerCreating: undefined')
  expect(stage.events()).toContain('FailedMount x4: MountVolume.SetUp failed for volume "v" : secret "cred" not found')
  stage.createSecret()
  await stage.clock.advance(100)
  expect(stage.started()).toBe('5s start runner.0')
})

test('a variable whose Secret is late gives CreateContainerConfigError, and the pod starts as soon as the Secret exists', async () => {
  const stage = open()
  stage.create(variable)
  await stage.clock.advance(20_000)
  expect(stage.waiting()).toBe('CreateContainerConfigError: secret "cred" not found')
  expect(stage.events()).toContain('Failed x3: Error: secret "cred" not found')
  stage.createSecret()
  await stage.clock.advance(100)
  expect(stage.started()).toBe('20s start runner.0')
  expect(stage.seen.at(-1)).toBe('20s Running runner=running,started,ready')
})

test.each([
  ['/tmp', 'error SubPath `/tmp` must not be an absolute path'],
  ['a/../../b', "unable to provision SubPath `a/../../b`: must not contain '..'"],
  ['', 'missing value for PLACE'],
])('a path of a volume that an expression makes (%j) gives CreateContainerConfigError', async (value, message) => {
  const stage = open()
  const volumeMounts = [{ name: 'v', mountPath: '/work', subPathExpr: '$(PLACE)' }]
  const container = { ...runner, env: [{ name: 'PLACE', value }], volumeMounts }
  stage.create({ containers: [container], volumes: [{ name: 'v', emptyDir: {} }] })
  await stage.clock.advance(1_000)
  expect(stage.waiting()).toBe(`CreateContainerConfigError: ${message}`)
})

test('a pod that waits for its Secret can be deleted', async () => {
  const stage = open()
  stage.create(volume)
  await stage.clock.advance(5_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(100)
  expect(stage.seen.slice(-2)).toEqual(['5s Failed! runner=ContainerStatusUnknown(137)', '5s gone'])
})

test.each([
  [{ hostPath: { path: '/etc' } }, 'hostPath is not supported by the embedded cluster'],
  [{ secret: { secretName: 'cred', items: [{ key: 'nope', path: 'x' }] } }, 'references non-existent secret key: nope'],
  [{ configMap: { name: 'none' } }, 'configmap "none" not found'],
  [
    { projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'b' } }] } },
    'clusterTrustBundle is not supported by the embedded cluster',
  ],
])('the volume %j fails with: %s', async (source, message) => {
  const stage = open()
  stage.createSecret()
  stage.create({ containers: [runner], volumes: [{ name: 'v', ...source }] })
  await stage.clock.advance(1_000)
  expect(stage.started()).toBeUndefined()
  expect(stage.events().join('\n')).toContain(`MountVolume.SetUp failed for volume "v" : ${message}`)
})

test('optional Secrets and ConfigMaps may be missing', async () => {
  const stage = open()
  const env = [{ name: 'T', valueFrom: { configMapKeyRef: { name: 'none', key: 'k', optional: true } } }]
  const volumes = [{ name: 'v', secret: { secretName: 'none', optional: true } }]
  stage.create({
    containers: [{ ...runner, env, envFrom: [{ secretRef: { name: 'none', optional: true } }] }],
    volumes,
  })
  await stage.clock.advance(100)
  expect(stage.started()).toBe('0s start runner.0')
})

test('an image that cannot be pulled gives ErrImagePull, then ImagePullBackOff, with growing delays', async () => {
  let pulls = 0
  const refuseImage = () => {
    pulls++
    return { is: 'refused' as const, reason: 'ErrImagePull' as const, message: 'no such image' }
  }
  const stage = open({ refuseImage })
  stage.create({ containers: [runner] })
  await stage.clock.advance(500)
  expect(stage.waiting()).toBe('ErrImagePull: no such image')
  await stage.clock.advance(4_500)
  expect(stage.waiting()).toBe('ImagePullBackOff: Back-off pulling image "busybox": ErrImagePull: no such image')
  await stage.clock.advance(75_000)
  expect(pulls).toBe(4)
  expect(stage.events()).toContain('Failed x4: Failed to pull image "busybox": no such image')
})

test('a pull secret that is missing is in an Event, and the pod starts without it if its image is there', async () => {
  const stage = open({})
  stage.create({ containers: [runner], imagePullSecrets: [{ name: 'registry' }] })
  await stage.clock.advance(500)
  expect(stage.started()).toBe('0s start runner.0')
  const why = 'Unable to retrieve some image pull secrets (registry); attempting to pull the image may not succeed.'
  expect(stage.events()).toContain(`FailedToRetrieveImagePullSecret x1: ${why}`)
})

test.each(['InvalidImageName', 'ErrImageNeverPull'] as const)('%s keeps the pod Pending forever', async (reason) => {
  const stage = open({ refuseImage: () => ({ is: 'refused', reason, message: 'why' }) })
  stage.create({ containers: [runner] })
  await stage.clock.advance(300_000)
  expect(stage.seen.at(-1)).toBe(`0s Pending runner=${reason}`)
  expect(stage.events().some((event) => event.startsWith('Failed x') && event.endsWith(`: Error: ${reason}`))).toBe(
    true,
  )
})

test('a command that cannot run gives StartError with exit code 128, and the pod fails', async () => {
  const stage = open({ scripts: { runner: { startError: 'exec: "nope": executable file not found in $PATH' } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(100)
  expect(stage.seen.at(-1)).toBe('0s Failed runner=StartError(128)')
  expect(field(stage.pod(), 'status', 'containerStatuses')).toMatchObject([
    { state: { terminated: { startedAt: '1970-01-01T00:00:00Z', message: expect.stringContaining('nope') } } },
  ])
})

test.each(['startupProbe', 'livenessProbe', 'readinessProbe'])(
  'a %s by gRPC is refused, not left out',
  async (probe) => {
    const stage = open()
    stage.create({
      restartPolicy: 'Always',
      containers: [{ ...runner, [probe]: { grpc: { port: 80 } } }],
    })
    await stage.clock.advance(1_000)
    expect(stage.waiting()).toBe(
      `CreateContainerConfigError: ${probe}.grpc is not supported by the embedded cluster: use exec or httpGet`,
    )
  },
)

test('a container that crashes is restarted at once, then with a back-off that grows from 10 s', async () => {
  const stage = open({ scripts: { runner: { endsAfterMs: 1_000, exitCode: 1 } } })
  stage.create({ restartPolicy: 'Always', containers: [runner] })
  await stage.clock.advance(80_000)
  expect(stage.actions().filter((action) => action.includes('start'))).toEqual([
    '0s start runner.0',
    '1s start runner.1',
    '12s start runner.2',
    '33s start runner.3',
    '74s start runner.4',
  ])
  expect(stage.waiting()).toMatch(
    /^CrashLoopBackOff: back-off 1m20s restarting failed container=runner pod=p_default\(/,
  )
  expect(field(stage.pod(), 'status', 'phase')).toBe('Running')
})

test.each([
  ['OnFailure', 0, 1, 'Succeeded'],
  ['OnFailure', 1, 2, 'Running'],
  ['Always', 0, 2, 'Running'],
  ['Never', 1, 1, 'Failed'],
])(
  'restartPolicy %s and exit code %i: %i starts within 5 s, phase %s',
  async (restartPolicy, exitCode, starts, phase) => {
    const stage = open({ scripts: { runner: { endsAfterMs: 1_000, exitCode } } })
    stage.create({ restartPolicy, containers: [runner] })
    await stage.clock.advance(5_000)
    expect(stage.actions().filter((action) => action.includes('start'))).toHaveLength(starts)
    expect(field(stage.pod(), 'status', 'phase')).toBe(phase)
  },
)

test('a failed liveness probe restarts the container; a readiness probe only shows in the status', async () => {
  const exec = ([word]: readonly string[], elapsedMs: number) => ({
    exitCode: word === 'live' && elapsedMs > 5_000 ? 1 : word === 'ready' && elapsedMs < 2_000 ? 1 : 0,
  })
  const stage = open({ scripts: { runner: { exec } } })
  const probe = (word: string) => ({ exec: { command: [word] }, periodSeconds: 1, failureThreshold: 2 })
  const probes = { livenessProbe: probe('live'), readinessProbe: probe('ready') }
  stage.create({ restartPolicy: 'Always', containers: [{ ...runner, ...probes }] })
  await stage.clock.advance(9_000)
  expect(stage.seen).toEqual([
    '0s Pending',
    '0s Running runner=running,started',
    '2s Running runner=running,started,ready',
    '7s Running runner=running,started#1',
    '9s Running runner=running,started,ready#1',
  ])
  expect(stage.events()).toContain('Killing x1: Container runner failed liveness probe, will be restarted')
})
