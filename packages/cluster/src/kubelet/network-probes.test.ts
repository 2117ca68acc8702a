// Probes and hooks over HTTP and TCP: which responses they accept, when they kill the container, and the Events they record.
import { expect, test } from 'vitest'
import { text } from '../api/values/json.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import type { NetworkTarget } from '../runtime/runtime.ts'
import type { NetworkScript } from '../runtime/scripted/scripted-runtime.ts'

const httpGet = { port: 2375, path: '/_ping' }
const runner = containerOf('runner')
const sidecar = (more: object) => containerOf('docker', { restartPolicy: 'Always', ...more })
const every = { periodSeconds: 1, failureThreshold: 3 }
const url = 'Get "http://ADDRESS:2375/_ping"'
const opensAt = (ms: number, before: NetworkScript) => (_: NetworkTarget, elapsed: number) =>
  elapsed < ms ? before : { status: 200 }

test.each<[string, object, NetworkScript, string]>([
  ['refused', { httpGet }, 'refused', `${url}: dial tcp ADDRESS:2375: connect: connection refused`],
  ['503', { httpGet }, { status: 503 }, 'HTTP probe failed with statuscode: 503'],
  [
    'silent',
    { httpGet },
    'hangs',
    `${url}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  ],
  ['refused', { tcpSocket: { port: 2375 } }, 'refused', 'dial tcp ADDRESS:2375: connect: connection refused'],
  ['silent', { tcpSocket: { port: 2375 } }, 'hangs', 'dial tcp ADDRESS:2375: i/o timeout'],
])('%s: the startup probe %j delays the runner until it succeeds', async (_, action, before, message) => {
  const stage = openPodStage({ scripts: { docker: { network: opensAt(4_000, before) } } })
  const startupProbe = { ...action, periodSeconds: 2, failureThreshold: 10 }
  stage.create({ initContainers: [sidecar({ startupProbe })], containers: [runner] })
  await stage.clock.advance(3_900)
  expect(stage.seen.at(-1)).toMatch(/Pending docker=running runner=PodInitializing$/)
  await stage.clock.advance(3_000)
  expect(stage.seen.at(-1)).toMatch(/Running docker=running,started,ready runner=running,started,ready$/)
  const sentence = message.replaceAll('ADDRESS', text(stage.pod(), 'status', 'podIP'))
  expect(stage.events().some((line) => line.includes(`Startup probe failed: ${sentence}`))).toBe(true)
})

test('resolves a named port; an unknown name fails the probe', async () => {
  const seen: NetworkTarget[] = []
  const network = (target: NetworkTarget) => {
    seen.push(target)
    return { status: 204 }
  }
  const stage = openPodStage({ scripts: { runner: { network } } })
  const ports = [{ name: 'api', containerPort: 8080 }]
  const httpHeaders = [{ name: 'X-Token', value: 'a' }]
  const named = { httpGet: { port: 'api', path: '/x', scheme: 'HTTPS', httpHeaders } }
  stage.create({ containers: [{ ...runner, ports, readinessProbe: named }] })
  stage.create({ containers: [{ ...runner, ports, readinessProbe: { tcpSocket: { port: 'none' } } }] }, 'q')
  await stage.clock.advance(1_000)
  expect(seen).toEqual([
    {
      is: 'http',
      scheme: 'https',
      host: text(stage.pod(), 'status', 'podIP'),
      port: 8080,
      path: '/x',
      headers: { 'user-agent': 'kube-probe/1', accept: '*/*', 'x-token': 'a' },
    },
  ])
  expect(stage.events()).toContain("Unhealthy x1: Readiness probe failed: couldn't find port: none")
})

test('accepts a redirect, and restarts a container that responds with 500 for too long', async () => {
  const network = (_: NetworkTarget, elapsed: number) => ({ status: elapsed < 5_000 ? 302 : 500 })
  const stage = openPodStage({ scripts: { runner: { network } } })
  stage.create({ restartPolicy: 'Always', containers: [{ ...runner, livenessProbe: { httpGet, ...every } }] })
  await stage.clock.advance(7_500)
  expect(stage.actions()).toEqual(['0s start runner.0', '7s term runner.0', '7s end runner.0', '7s start runner.1'])
})

test('only reports readiness', async () => {
  const network = (_: NetworkTarget, elapsed: number): NetworkScript => (elapsed < 3_000 ? 'refused' : {})
  const stage = openPodStage({ scripts: { runner: { network } } })
  stage.create({ containers: [{ ...runner, readinessProbe: { tcpSocket: { port: 1 }, ...every } }] })
  await stage.clock.advance(10_000)
  expect(stage.seen.slice(-2)).toEqual(['0s Running runner=running,started', '3s Running runner=running,started,ready'])
})

test('accepts any HTTP response to a hook, and kills the container if there is none', async () => {
  const lifecycle = { postStart: { httpGet } }
  const scripts = { runner: { network: () => ({ status: 500 }) }, docker: { network: () => 'refused' as const } }
  const stage = openPodStage({ scripts })
  stage.create({ containers: [{ ...runner, lifecycle }, containerOf('docker', { lifecycle })] })
  await stage.clock.advance(1_000)
  expect(stage.actions()).toEqual(['0s start runner.0', '0s start docker.0', '0s term docker.0', '0s end docker.0'])
  expect(stage.events().filter((line) => line.startsWith('FailedPostStartHook'))).toHaveLength(1)
})

test('gives up a hung preStop hook after the grace period: SIGTERM then, and SIGKILL two seconds later', async () => {
  const lifecycle = { preStop: { httpGet } }
  const stage = openPodStage({ scripts: { runner: { network: () => 'hangs', onTerm: 'ignored' } } })
  stage.create({ containers: [{ ...runner, lifecycle }], terminationGracePeriodSeconds: 5 })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(60_000)
  expect(stage.actions().slice(1)).toEqual(['6s term runner.0', '8s kill runner.0', '8s end runner.0'])
  expect(stage.events().filter((line) => line.startsWith('FailedPreStopHook'))).toHaveLength(1)
})
