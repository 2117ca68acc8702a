import { expect, test } from 'vitest'
import { field, text } from '../api/values/json.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import type { NetworkTarget } from '../runtime/runtime.ts'
import { podAddress } from './pod-address.ts'

const pod = (uid: string, spec = {}) => ({ metadata: { uid }, spec })

test("each pod has an address of the loopback interface that is not the host's", () => {
  const addresses = Array.from({ length: 2_000 }, (_, index) => podAddress(pod(`uid-${index}`)))
  expect(new Set(addresses).size).toBe(addresses.length)
  for (const address of addresses) expect(address).toMatch(/^127\.(?!0\.)\d+\.\d+\.(?!0$|255$)\d+$/)
  expect(podAddress(pod('uid-1', { hostNetwork: true }))).toBe('127.0.0.1')
})

test('the status, the downward API and the probes name the same address', async () => {
  const seen: NetworkTarget[] = []
  const network = (target: NetworkTarget) => {
    seen.push(target)
    return {}
  }
  const stage = openPodStage({ scripts: { main: { network } } })
  const env = [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }]
  const readinessProbe = { tcpSocket: { port: 80 } }
  for (const name of ['p', 'q']) stage.create({ containers: [containerOf('main', { env, readinessProbe })] }, name)
  await stage.clock.advance(1_000)
  const addresses = ['p', 'q'].map((name) => text(stage.pod(name), 'status', 'podIP'))
  expect(seen.map(({ host }) => host).sort()).toEqual([...addresses].sort())
  expect(new Set(addresses).size).toBe(2)
  expect(field(stage.pod(), 'status', 'hostIP')).toBe('127.0.0.1')
})
