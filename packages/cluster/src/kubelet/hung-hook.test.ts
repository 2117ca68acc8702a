// A postStart hook that never returns, with real processes and a virtual clock. Each test repeats what a real node of 1.36 did
// (docs/reference/kubernetes.md#s4-4).
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { type Cluster, createCluster } from '../cluster.ts'
import { conditionLine, containerOf, podOf } from '../pod-stage.fixture.ts'
import { createProcessRuntime } from '../runtime/process/process-runtime.ts'
import { processScan } from '../runtime/process/processes.ts'

let clock: VirtualClock
let cluster: Cluster
let data: string

beforeEach(() => {
  clock = virtualClock(systemClock().now())
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
  let isStopped = false
  const stopping = cluster.stop().then(() => {
    isStopped = true
  })
  await until(() => isStopped)
  await stopping
  expect(processScan(data).run()).toEqual([])
})

/** Returns the processes of this test that sleep: those of the containers and of the hook. */
function sleeping(): readonly { readonly pid: number; readonly line: string }[] {
  const found = processScan(data).run()
  const lines = found.map(({ pid }) => ({ pid, line: commandOf(pid) }))
  return lines.filter(({ line }) => /^\S*sleep 100/.test(line))
}

/** Returns the command of a process, or nothing if it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Lets the virtual time pass, and the processes go on for a tenth of it. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    await clock.advance(50)
    await systemClock().sleep(5)
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries === 2_000) throw new Error(`never true: ${isTrue}`)
    await pass(50)
  }
}

const pod = () => cluster.registry.get('pods', 'default', 'p')
const waits = () =>
  JSON.stringify(field(pod(), 'status', 'containerStatuses') ?? '').match(/ContainerCreating/g)?.length
const hookRuns = () => until(() => waits() === 2 && sleeping().some(({ line }) => line.includes('1001')))
const events = () => cluster.registry.list('events').map(({ reason }) => reason)

function kill(word: string): void {
  for (const { pid, line } of sleeping()) if (line.includes(word)) process.kill(pid, 'SIGKILL')
}

test('ignores a DELETE until the hook ends, then starts and ends the second container, and removes the pod', async () => {
  await hookRuns()
  expect(field(pod(), 'status', 'phase')).toBe('Pending')
  expect([field(pod(), 'status', 'podIP'), conditionLine(pod())]).toEqual([
    undefined,
    expect.stringContaining('PodReadyToStartContainers=True'),
  ])
  cluster.registry.delete('pods', 'default', 'p')
  await pass(2_500)
  expect(pod()?.metadata.deletionTimestamp).toBeDefined()
  expect(sleeping()).toHaveLength(2)
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
  await pass(2_500)
  expect(sleeping()).toHaveLength(2)
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
