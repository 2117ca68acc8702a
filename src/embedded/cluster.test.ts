import { existsSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { jsonBody, type Method, type Transport } from '../lib/http.ts'
import { httpClient } from '../lib/http-client.ts'
import { systemClock, systemRandom } from '../lib/system.ts'
import { field } from './api/json.ts'
import type { StoredObject } from './api/object.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { createProcessRuntime } from './runtime/process/process-runtime.ts'
import { processScan } from './runtime/process/processes.ts'

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

const pods = '/api/v1/namespaces/default/pods'

async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await clock.sleep(10)
  }
  throw new Error(`never true: ${look}`)
}

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
