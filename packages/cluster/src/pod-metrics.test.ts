// The usage of real processes, from /proc to the metrics API.
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noBody } from '@dayfly/kit/http'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterEach, expect, it } from 'vitest'
import { type Cluster, createCluster } from './cluster.ts'
import { createProcessRuntime } from './runtime/process/process-runtime.ts'

let cluster: Cluster | undefined

afterEach(async () => {
  await cluster?.stop()
})

const metrics = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods'

async function get(path: string, query: Readonly<Record<string, string>> = {}) {
  const send = cluster?.transport('tester')
  const answer = await send?.({ method: 'GET', path, query, headers: {}, body: noBody, expect: 'whole' })
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers without types.
  return { status: answer?.status, value: answer?.body.kind === 'json' ? (answer.body.value as any) : undefined }
}

it('shows what a busy container uses with its children, and nothing of a pod that has ended', async () => {
  const clock = systemClock()
  const dataDirectory = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-metrics-'))
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const runtime = createProcessRuntime({ dataDirectory, clock, environment, images: {} })
  cluster = createCluster({ clock, random: systemRandom(), runtime })
  const { registry } = cluster
  const pod = (name: string, script: string) => {
    const containers = [{ name: 'main', image: 'any', command: ['sh', '-c', script] }]
    return { metadata: { name, namespace: 'default', labels: { name } }, spec: { restartPolicy: 'Never', containers } }
  }
  registry.create('pods', pod('busy', '(while :; do :; done) & wait'))
  registry.create('pods', pod('over', 'exit 0'))
  await clock.sleep(1_000)
  const { value } = await get(metrics, { labelSelector: 'name' })
  expect(value).toMatchObject({ kind: 'PodMetricsList', items: [{ metadata: { name: 'busy' } }] })
  const [{ name, usage }] = value.items[0].containers
  expect([name, value.items.length]).toEqual(['main', 1])
  // Other processes of this machine may take most of its processors.
  expect(Number.parseInt(usage.cpu, 10)).toBeGreaterThan(50_000_000)
  expect(Number.parseInt(usage.memory, 10)).toBeGreaterThan(500)
  expect((await get(`${metrics}/busy`)).value).toMatchObject({ kind: 'PodMetrics', metadata: { name: 'busy' } })
  expect((await get(`${metrics}/over`)).status).toBe(404)
})
