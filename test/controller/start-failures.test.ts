// Tests every start failure on the embedded cluster. The status of the set shows its reason within 45 s, and the runner ends at its deadline.
import { expect, it } from 'vitest'
import { events, openStage, podNames, queue, type Stage, type StageOptions, status } from './stage.ts'

type Fixture = {
  readonly pod?: object
  readonly runner?: object
  readonly runtime?: Partial<NonNullable<StageOptions['runtime']>>
  /** Seconds until the runner is ended. */
  readonly deadline: number
  /** A step that the operator configured. The set is no failure while it is within its time. */
  readonly waitsFor?: string
}

const refused = (reason: 'ErrImagePull' | 'InvalidImageName') => ({
  refuseImage: () => ({ is: 'refused', reason, message: 'no such image' }) as const,
})
const init = (more: object) => ({ initContainers: [{ name: 'first', image: 'x', command: ['first'], ...more }] })
const probe = { startupProbe: { exec: { command: ['ready'] }, periodSeconds: 5, failureThreshold: 60 } }

const fixtures: Readonly<Record<string, Fixture>> = {
  unschedulable: { pod: { nodeSelector: { disk: 'ssd' } }, deadline: 301 },
  'image-missing': { runtime: refused('ErrImagePull'), deadline: 32 },
  'image-invalid': { runtime: refused('InvalidImageName'), deadline: 2 },
  'config-missing': {
    runner: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'missing', key: 'x' } } }] },
    deadline: 7,
  },
  'volume-failed': { pod: { volumes: [{ name: 'x', configMap: { name: 'missing' } }] }, deadline: 122 },
  'init-failed': { pod: init({}), runtime: { script: () => ({ endsAfterMs: 10, exitCode: 3 }) }, deadline: 2 },
  'init-hangs': { pod: init({}), deadline: 602, waitsFor: 'init container first runs' },
  'sidecar-not-ready': {
    pod: init({ restartPolicy: 'Always', ...probe }),
    runtime: { script: () => ({ exec: () => ({ exitCode: 1 }) }) },
    deadline: 307,
    waitsFor: 'the startup probe of container first has not succeeded',
  },
  'helper-crashes': {
    pod: init({ restartPolicy: 'Always', ...probe }),
    runtime: {
      script: ({ id }) => (id.name === 'first' ? { endsAfterMs: 100, exitCode: 3, exec: () => ({ exitCode: 1 }) } : {}),
    },
    deadline: 122,
  },
  'command-missing': { runtime: { script: () => ({ startError: 'no such file' }) }, deadline: 2 },
  'never-online': { deadline: 250 },
}

function readyMessage(stage: Stage): string | undefined {
  return status(stage).conditions?.find(({ type }) => type === 'Ready')?.message
}

it.each(Object.entries(fixtures))(
  'shows %s on the set and ends the runner at its deadline',
  async (reason, { pod, runner, runtime, deadline, waitsFor }) => {
    const template = { spec: { ...pod, containers: [{ name: 'runner', ...runner }] } }
    const stage = await openStage({
      spec: { template, keepFailed: '0s' },
      runtime: { script: () => ({}), ...runtime },
    })
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const [first] = events(stage, 'pod-created')
    expect(first).toBeDefined()
    if (reason !== 'never-online') {
      await stage.clock.advance(Math.min(40, deadline) * 1_000)
      if (waitsFor) expect(readyMessage(stage)).toContain(`1 start is under way: ${waitsFor} since `)
      else expect(status(stage)).toMatchObject({ lastReason: reason })
    }
    await stage.clock.advance(deadline * 1_000 + 60_000)
    expect(podNames(stage)).not.toContain(first?.runner)
    expect(events(stage, 'runner-failed').find(({ runner: name }) => name === first?.runner)).toMatchObject({
      failure: { reason },
    })
  },
)

it('replaces a runner whose image could not be pulled after the back-off, and does not wait for the forge', async () => {
  let limited = true
  const refuseImage = () =>
    limited ? ({ is: 'refused', reason: 'ErrImagePull', message: 'toomanyrequests' } as const) : undefined
  const stage = await openStage({ runtime: { script: () => ({}), refuseImage } })
  queue(stage, 1)
  await stage.clock.advance(29_000)
  expect(podNames(stage)).toHaveLength(1)
  limited = false
  // The long poll of the forge shows nothing new since the job was queued, and ends after 50 s.
  await stage.clock.advance(6_000)
  expect(events(stage, 'pod-created')).toHaveLength(2)
  expect(stage.registry.get('pods', 'ci', podNames(stage)[0] ?? '')).toMatchObject({ status: { phase: 'Running' } })
})

it.each([
  [[], 'no such image (the pod has no pull secret)'],
  [[{ name: 'registry' }, { name: 'mirror' }], 'no such image (pull secrets of the pod: registry, mirror)'],
])('says with which pull secrets the node tried: %j', async (imagePullSecrets, said) => {
  const template = { spec: { imagePullSecrets, containers: [{ name: 'runner' }] } }
  const stage = await openStage({ spec: { template }, runtime: { script: () => ({}), ...refused('ErrImagePull') } })
  queue(stage, 1)
  await stage.clock.advance(40_000)
  expect(status(stage)).toMatchObject({ lastReason: 'image-missing', lastMessage: expect.stringContaining(said) })
})

it('shows a helper that crashes beside an idle runner, and does not end the runner for it', async () => {
  const crashes = { endsAfterMs: 1_000, exitCode: 3 }
  const template = { spec: { ...init({ restartPolicy: 'Always' }), containers: [{ name: 'runner' }] } }
  const stage = await openStage({
    spec: { template, scale: { min: 1, max: 1 } },
    runtime: { script: ({ id }) => (id.name === 'first' ? crashes : {}) },
  })
  await stage.clock.advance(45_000)
  const degraded = status(stage).conditions?.find(({ type }) => type === 'Degraded')
  expect(degraded).toMatchObject({ status: 'True', reason: 'HelperCrashes' })
  expect(degraded?.message).toMatch(
    /container first: exit code 3 .* restart.*; kubectl -n ci logs linux-\S+ -c first --previous/,
  )
  expect(events(stage, 'runner-failed')).toEqual([])
})

it('shows a full quota on the set, and starts the runner when there is room', async () => {
  const stage = await openStage({ runtime: { script: () => ({}) } })
  const metadata = { name: 'few', namespace: 'ci' }
  stage.registry.create('resourcequotas', { metadata, spec: { hard: { pods: '0' } } })
  queue(stage, 1)
  await stage.clock.advance(40_000)
  expect(podNames(stage)).toEqual([])
  expect(status(stage)).toMatchObject({
    lastReason: 'quota-exceeded',
    lastMessage: 'the ResourceQuota few has room for 0 by its pods, and the set needs 1',
  })
  const body = { spec: { hard: { pods: '1' } } }
  stage.registry.patch('resourcequotas', metadata, { type: 'merge', body })
  await stage.clock.advance(120_000)
  expect(podNames(stage)).toHaveLength(1)
  expect(stage.registry.get('resourcequotas', 'ci', 'few')).toMatchObject({ status: { used: { pods: '1' } } })
})

it('shows what Pod Security forbids, and starts no runner', async () => {
  const stage = await openStage({ spec: { docker: 'sidecar' } })
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  stage.registry.patch('namespaces', { name: 'ci' }, { type: 'merge', body: { metadata: { labels } } })
  queue(stage, 1)
  await stage.clock.advance(40_000)
  expect(podNames(stage)).toEqual([])
  expect(status(stage)).toMatchObject({
    lastReason: 'admission-denied',
    lastMessage: expect.stringMatching(
      /is forbidden: violates PodSecurity "restricted:latest": privileged \(container "docker" must not set securityContext\.privileged=true\), allowPrivilegeEscalation != false/,
    ),
  })
})

it.each([
  ['serviceAccountName', 'build', 'serviceaccounts', {}],
  ['priorityClassName', 'urgent', 'priorityclasses.scheduling.k8s.io', { value: 9 }],
  ['runtimeClassName', 'gvisor', 'runtimeclasses.node.k8s.io', { handler: 'gvisor' }],
])(
  'names the object that %s refers to and that is missing, and starts the runner once it exists',
  async (field, name, resource, body) => {
    const template = { spec: { [field]: name, containers: [{ name: 'runner' }] } }
    const stage = await openStage({ spec: { template }, runtime: { script: () => ({}) } })
    queue(stage, 1)
    await stage.clock.advance(40_000)
    expect(podNames(stage)).toEqual([])
    expect(status(stage)).toMatchObject({ lastReason: 'reference-missing', lastMessage: expect.stringContaining(name) })
    const scoped = resource === 'serviceaccounts' ? { namespace: 'ci' } : {}
    stage.registry.create(resource, { metadata: { name, ...scoped }, ...body })
    await stage.clock.advance(45_000)
    expect(podNames(stage)).toHaveLength(1)
  },
)

it('shows the webhook that the API server cannot call, and starts the runner once it answers', async () => {
  const message = 'Internal error occurred: failed calling webhook "gate.example": context deadline exceeded'
  const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 }
  let broken = false
  const stage = await openStage({
    runtime: { script: () => ({}) },
    apiFault: ({ method, path }) => {
      if (!broken || method !== 'POST' || !path.endsWith('/pods')) return undefined
      return { status: 500, headers: {}, body: { kind: 'json', value: answer } }
    },
  })
  broken = true
  queue(stage, 3)
  await stage.clock.advance(60_000)
  expect(podNames(stage)).toEqual([])
  expect(status(stage)).toMatchObject({ lastReason: 'admission-denied', lastMessage: message })
  expect(events(stage, 'runner-registered').length).toBeLessThanOrEqual(4)
  broken = false
  await stage.clock.advance(35_000)
  expect(podNames(stage)).toHaveLength(3)
})

it.each([
  ['422', 'Invalid', 'pods', 'template-invalid'],
  ['400', 'BadRequest', 'secrets', 'template-invalid'],
  ['404', 'NotFound', 'pods', 'reference-missing'],
])('starts the runner soon after a single %s (%s) to the POST of its %s', async (code, reason, kind, shown) => {
  const value = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'x', reason, code: Number(code) }
  let left = 0
  const stage = await openStage({
    ...{ apiMs: 50, forgeMs: 150 },
    runtime: { script: () => ({}) },
    apiFault: ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith(`/${kind}`) || left-- <= 0) return undefined
      return { status: Number(code), headers: {}, body: { kind: 'json', value } }
    },
  })
  left = 1
  queue(stage, 1)
  await stage.clock.advance(10_000)
  expect(status(stage)).toMatchObject({ lastReason: shown })
  await stage.clock.advance(35_000)
  expect(stage.registry.list('secrets').filter(({ metadata }) => podNames(stage).includes(metadata.name))).toHaveLength(
    1,
  )
})

it('says that the namespace is being deleted, and does not call that an admission rule', async () => {
  const stage = await openStage()
  const keep = { name: 'keep', namespace: 'ci', finalizers: ['example.com/wait'] }
  stage.registry.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: keep })
  stage.registry.delete('namespaces', '', 'ci')
  queue(stage, 1)
  await stage.clock.advance(5_000)
  expect(status(stage)).toMatchObject({ lastReason: 'namespace-ending' })
})

it('starts a runner with the defaults of a LimitRange, and shows one that is above the maximum', async () => {
  const containers = [{ name: 'runner', resources: { limits: { cpu: '3' } } }]
  const stage = await openStage({ spec: { template: { spec: { containers } } }, runtime: { script: () => ({}) } })
  const range = { metadata: { name: 'usual', namespace: 'ci' }, spec: {} }
  const limit = (max: string) => ({
    ...range,
    spec: { limits: [{ type: 'Container', max: { cpu: max, memory: '1Gi' } }] },
  })
  stage.registry.create('limitranges', limit('2'))
  queue(stage, 1)
  await stage.clock.advance(40_000)
  expect(podNames(stage)).toEqual([])
  expect(status(stage)).toMatchObject({
    lastMessage: expect.stringContaining('maximum cpu usage per Container is 2, but limit is 3'),
  })
  const started: object[] = []
  stage.registry.subscribe('pods', ({ type, object }) => {
    if (type === 'ADDED') started.push(object)
  })
  stage.registry.update('limitranges', limit('4'))
  await stage.clock.advance(600_000)
  expect(started[0]).toMatchObject({
    metadata: { annotations: { 'kubernetes.io/limit-ranger': expect.stringContaining('memory limit') } },
    spec: { containers: [{ resources: { limits: { cpu: '3', memory: '1Gi' } } }] },
  })
})
