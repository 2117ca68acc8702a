// A postStart hook that never returns, with real processes. Each test repeats what a real node of 1.36 did (docs/reference/kubernetes.md#s4-4).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { field } from '../api/json.ts'
import { type Cluster, createCluster } from '../cluster.ts'
import { conditionLine, containerOf, podOf } from '../pod-stage.fixture.ts'
import { createProcessRuntime } from '../runtime/process/process-runtime.ts'
import { processScan } from '../runtime/process/processes.ts'

const clock = systemClock()
let cluster: Cluster
let data: string

beforeEach(() => {
  data = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-hook-'))
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const runtime = createProcessRuntime({ dataDirectory: data, clock, environment, images: {} })
  cluster = createCluster({ clock, random: systemRandom(), runtime })
  const lifecycle = { postStart: { exec: { command: ['sleep', '1001'] } } }
  const main = containerOf('main', { command: ['sleep', '1002'], lifecycle })
  const second = containerOf('second', { command: ['sleep', '1003'] })
  cluster.registry.create('pods', podOf({ containers: [main, second], terminationGracePeriodSeconds: 1 }))
})

afterEach(async () => {
  await cluster.stop()
  expect(processScan(data).run()).toEqual([])
})

/** Returns the commands of the processes that belong to this test. */
function running(): readonly string[] {
  const found = processScan(data).run()
  const lines = found.map(({ pid }) => execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }))
  return lines.map((line) => line.trim()).filter((line) => line.includes('sleep 100') && !line.includes('sh'))
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries === 1_000) throw new Error(`never true: ${isTrue}`)
    await clock.sleep(10)
  }
}

const pod = () => cluster.registry.get('pods', 'default', 'p')
const waits = () =>
  JSON.stringify(field(pod(), 'status', 'containerStatuses') ?? '').match(/ContainerCreating/g)?.length
const hookRuns = () => until(() => waits() === 2 && running().some((line) => line.includes('1001')))
const events = () => cluster.registry.list('events').map(({ reason }) => reason)

function kill(word: string): void {
  for (const { pid } of processScan(data).run()) {
    const line = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    if (line.includes(word) && !line.includes('sh')) process.kill(pid, 'SIGKILL')
  }
}

test('ignores a DELETE until the hook ends, then starts and ends the second container, and removes the pod', async () => {
  await hookRuns()
  expect(field(pod(), 'status', 'phase')).toBe('Pending')
  expect([field(pod(), 'status', 'podIP'), conditionLine(pod())]).toEqual([
    undefined,
    expect.stringContaining('PodReadyToStartContainers=True'),
  ])
  cluster.registry.delete('pods', 'default', 'p')
  await clock.sleep(2_500)
  expect(pod()?.metadata.deletionTimestamp).toBeDefined()
  expect(running()).toHaveLength(2)
  kill('1001')
  await until(() => pod() === undefined)
  const started = cluster.registry
    .list('events')
    .filter((event) => event['reason'] === 'Started' && JSON.stringify(event).includes('{second}'))
  expect([started.length, events().includes('FailedPostStartHook')]).toEqual([1, true])
  await until(() => processScan(data).run().length === 0)
}, 20_000)

test('removes the object at once with grace period 0; the processes run until the kubelet is restarted', async () => {
  await hookRuns()
  cluster.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  expect(pod()).toBeUndefined()
  await clock.sleep(2_500)
  expect(running()).toHaveLength(2)
  cluster.kubelet.stop()
  cluster.kubelet.start()
  await until(() => processScan(data).run().length === 0)
}, 20_000)

test('completes a stuck deletion after a restart of the kubelet', async () => {
  await hookRuns()
  cluster.registry.delete('pods', 'default', 'p')
  const ends: string[] = []
  cluster.registry.subscribe('pods', ({ object }) => {
    ends.push(JSON.stringify(field(object, 'status', 'containerStatuses')))
  })
  cluster.kubelet.stop()
  cluster.kubelet.start()
  await until(() => pod() === undefined)
  expect(ends.at(-1)).toMatch(/"exitCode":137.*"exitCode":137,"reason":"ContainerStatusUnknown"/)
  expect(events()).not.toContain('FailedPostStartHook')
  await until(() => processScan(data).run().length === 0)
}, 20_000)
