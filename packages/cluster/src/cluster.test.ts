// A whole cluster over its HTTP handler, with real processes.
import { existsSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonBody, type Method, type Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import { field } from './api/values/json.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { eventually } from './runtime/process/process-helpers.fixture.ts'
import { createProcessRuntime } from './runtime/process/process-runtime.ts'
import { processScan } from './runtime/process/processes.ts'
import type { StoredObject } from './store/object.ts'

const clock = systemClock()
let open: { cluster: Cluster; data: string }[] = []

afterEach(async () => {
  for (const { cluster, data } of open) {
    await cluster.stop()
    expect(existsSync(data)).toBe(false)
    expect(processScan(data).run()).toEqual([])
  }
  open = []
})

function world() {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-cluster-'))
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const runtime = createProcessRuntime({ dataDirectory: data, clock, environment, images: {} })
  const users = new Map([['secret-token', 'tester']])
  const cluster = createCluster({ clock, random: systemRandom(), runtime, users })
  open.push({ cluster, data })
  return cluster
}

function shellPod(name: string, script: string, spec: object = {}) {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', script] }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', containers: [container], ...spec },
  }
}

async function send(transport: Transport, method: Method, path: string, body?: object, query = {}) {
  const headers = { authorization: 'Bearer secret-token' }
  const content = body ? jsonBody(body) : { kind: 'none' as const }
  return await transport({ method, path, query, headers, body: content, expect: 'whole' })
}

/** Runs until SIGTERM. */
const obedient = 'trap "exit 0" TERM; while :; do sleep 0.02; done'

const pods = '/api/v1/namespaces/default/pods'

function podIn(cluster: Cluster, name: string, phase: string): StoredObject | undefined {
  const pod = cluster.registry.get('pods', 'default', name)
  return pod && field(pod, 'status', 'phase') === phase ? pod : undefined
}

test('a pod posted over HTTP runs, its log is read, and its deletion leaves nothing', async () => {
  const cluster = world()
  const server = await cluster.listen()
  const client = httpClient({ origin: server.origin, tls: { ca: server.ca } })
  const posted = await send(client.transport, 'POST', pods, shellPod('hello', 'echo hello $GREETING; exit 3'))
  expect(posted.status).toBe(201)
  const pod = await eventually(() => podIn(cluster, 'hello', 'Failed'))
  expect(pod).toMatchObject({
    spec: { nodeName: 'dayfly' },
    status: {
      containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 3, reason: 'Error' } }, ready: false }],
    },
  })
  const log = await send(client.transport, 'GET', `${pods}/hello/log`)
  expect(log.body).toEqual({ kind: 'text', text: 'hello\n' })
  expect((await send(client.transport, 'DELETE', `${pods}/hello`)).status).toBe(200)
  expect(cluster.registry.get('pods', 'default', 'hello')).toBeUndefined()
  await client.close()
})

test('a Secret posted right after its pod is mounted as a file and removed with the pod', async () => {
  const cluster = world()
  const transport = cluster.transport('controller')
  const mounted = {
    volumes: [{ name: 'v', secret: { secretName: 'cred' } }],
    containers: [
      {
        name: 'main',
        image: 'runner:1',
        command: ['sh', '-c', `cat "\${DAYFLY_ROOT:-}/run/dayfly/credential"; ${obedient}`],
        volumeMounts: [{ name: 'v', mountPath: '/run/dayfly', readOnly: true }],
      },
    ],
  }
  const posted = await send(transport, 'POST', pods, shellPod('r', '', mounted))
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'r', uid: field(posted.body, 'value', 'metadata', 'uid') }
  const metadata = { name: 'cred', ownerReferences: [owner] }
  await send(transport, 'POST', '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { credential: Buffer.from('s3cret').toString('base64') },
  })
  await eventually(() => podIn(cluster, 'r', 'Running'))
  const answer = await send(transport, 'GET', `${pods}/r/log`, undefined, { follow: 'true' })
  if (answer.body.kind !== 'bytes') throw new Error(`a stream was expected, not ${answer.body.kind}`)
  for await (const chunk of answer.body.chunks) {
    expect(chunk).toBe('s3cret')
    break
  }
  await send(transport, 'DELETE', `${pods}/r`, { gracePeriodSeconds: 1 })
  await eventually(() => cluster.registry.get('pods', 'default', 'r') === undefined || undefined)
  expect(cluster.registry.get('secrets', 'default', 'cred')).toBeUndefined()
  expect(cluster.requestLog.writes('controller')).toBe(3)
})

test('a sidecar with a startup probe and a runner run as processes and share a directory', async () => {
  const cluster = world()
  const shared = { volumeMounts: [{ name: 'run', mountPath: '/var/run' }] }
  const docker = {
    name: 'docker',
    image: 'docker:dind',
    restartPolicy: 'Always',
    command: [
      'sh',
      '-c',
      'sleep 0.2; touch "$DAYFLY_ROOT/var/run/sock"; trap "exit 0" TERM; while :; do sleep 0.02; done',
    ],
    startupProbe: { exec: { command: ['sh', '-c', 'test -e "$DAYFLY_ROOT/var/run/sock"'] }, periodSeconds: 1 },
    ...shared,
  }
  const main = { name: 'main', image: 'x', command: ['sh', '-c', 'test -e "$DAYFLY_ROOT/var/run/sock"'], ...shared }
  const spec = { initContainers: [docker], containers: [main], volumes: [{ name: 'run', emptyDir: {} }] }
  cluster.registry.create('pods', { ...shellPod('p', '', spec), metadata: { name: 'p', namespace: 'default' } })
  const pod = await eventually(() => podIn(cluster, 'p', 'Succeeded'))
  expect(pod).toMatchObject({
    status: {
      initContainerStatuses: [{ name: 'docker', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0 } } }],
    },
  })
})

test('a missing command is a StartError, as on a real node', async () => {
  const cluster = world()
  const containers = [{ name: 'main', image: 'x', command: ['/nope'] }]
  cluster.registry.create('pods', {
    ...shellPod('p', '', { containers }),
    metadata: { name: 'p', namespace: 'default' },
  })
  const pod = await eventually(() => podIn(cluster, 'p', 'Failed'))
  expect(field(pod, 'status', 'containerStatuses')).toMatchObject([
    { state: { terminated: { exitCode: 128, reason: 'StartError', startedAt: '1970-01-01T00:00:00Z' } } },
  ])
})

test('an Event names the settings that plain processes do not enforce', async () => {
  const cluster = world()
  const more = { securityContext: { privileged: true }, resources: { limits: { memory: '20Mi' } } }
  const containers = [{ name: 'main', image: 'x', command: ['true'], ...more }]
  cluster.registry.create('pods', {
    ...shellPod('p', '', { containers }),
    metadata: { name: 'p', namespace: 'default' },
  })
  await eventually(() => podIn(cluster, 'p', 'Succeeded'))
  const events = cluster.registry.list('events').filter(({ reason }) => reason === 'NotEnforced')
  expect(events.map(({ message }) => message)).toEqual([
    'containers are plain processes of this host, which does not enforce main: securityContext.privileged, resources.limits',
  ])
})

test('a cluster leaves no process and no directory when it stops while pods start, run and end', async () => {
  const cluster = world()
  for (let index = 0; index < 20; index++) {
    const script = 'trap "" TERM; setsid env -i sleep 300 & while :; do sleep 1; done'
    const pod = shellPod(`p${index}`, index % 2 ? script : 'exit 0')
    cluster.registry.create('pods', { ...pod, metadata: { ...pod.metadata, namespace: 'default' } })
  }
  cluster.registry.delete('pods', 'default', 'p1')
  await eventually(() => podIn(cluster, 'p3', 'Running'))
})

test('two clusters in one process are independent', async () => {
  const [one, two] = [world(), world()]
  for (const cluster of [one, two]) {
    const pod = shellPod('same', obedient)
    cluster.registry.create('pods', { ...pod, metadata: { name: 'same', namespace: 'default' } })
  }
  await eventually(() => podIn(one, 'same', 'Running') && podIn(two, 'same', 'Running'))
  one.registry.delete('pods', 'default', 'same', { gracePeriodSeconds: 1 })
  await eventually(() => one.registry.get('pods', 'default', 'same') === undefined || undefined)
  expect(podIn(two, 'same', 'Running')).toBeDefined()
  const servers = [await one.listen(), await two.listen()]
  expect(servers[0]?.port).not.toBe(servers[1]?.port)
})

test('the node is ready and has a lease, and the initial namespaces exist', async () => {
  const cluster = world()
  expect(cluster.registry.list('namespaces').map(({ metadata }) => metadata.name)).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ])
  const node = cluster.registry.get('nodes', undefined, 'dayfly')
  expect(field(node, 'status', 'conditions')).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }))
  expect(cluster.registry.get('leases.coordination.k8s.io', 'kube-node-lease', 'dayfly')).toBeDefined()
})
