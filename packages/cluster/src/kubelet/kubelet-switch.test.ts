// A node whose kubelet is stopped for a while: its containers keep running, and the API shows the last reported state.
import type { Request } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

const runner = containerOf('runner')
const logRequest: Request = {
  method: 'GET',
  path: '/api/v1/namespaces/default/pods/p/log',
  query: {},
  headers: {},
  body: { kind: 'none' },
  expect: 'bytes',
}

test('keeps a deleted pod past its grace period while the kubelet is stopped, and removes it afterwards (seen on a real node)', async () => {
  const stage = openPodStage()
  stage.create({ containers: [runner], terminationGracePeriodSeconds: 3 })
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  stage.registry.delete('pods', 'default', 'p')
  await stage.clock.advance(600_000)
  expect(stage.seen.at(-1)).toMatch(/^1s Running! /)
  expect(stage.runtime.running()).toBe(1)
  stage.cluster.kubelet.start()
  await stage.clock.advance(1_000)
  expect(stage.seen.slice(-2)).toEqual(['601s Failed! runner=Error(143)', '601s gone'])
})

test('takes over running containers: it does not start them again, and records their end and their probes', async () => {
  const exec = (_: readonly string[], elapsed: number) => ({ exitCode: elapsed < 20_000 ? 1 : 0 })
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 30_000, exec } } })
  const readinessProbe = { exec: { command: ['ready'] }, periodSeconds: 1 }
  stage.create({ containers: [{ ...runner, readinessProbe }] })
  await stage.clock.advance(5_000)
  stage.cluster.kubelet.stop()
  await stage.clock.advance(10_000)
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(stage.actions()).toEqual(['0s start runner.0', '30s end runner.0'])
  expect(stage.seen.slice(-4)).toEqual([
    '0s Running runner=running,started',
    '20s Running runner=running,started,ready',
    '30s Running runner=Completed(0)',
    '30s Succeeded runner=Completed(0)',
  ])
})

test('ends the containers of a pod that no longer exists, and leaves nothing when the cluster stops', async () => {
  const stage = openPodStage({ scripts: { runner: { onTerm: 'ignored' } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  await stage.clock.advance(60_000)
  expect(stage.runtime.running()).toBe(1)
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(stage.actions().slice(1)).toEqual(['61s term runner.0', '63s kill runner.0', '63s end runner.0'])
  await stage.cluster.stop()
  expect(stage.clock.next()).toBeUndefined()
})

test.each([{}, { gracePeriodSeconds: 0 }])(
  'shows the log of a pod that ended before the kubelet started again, and removes all of it after a deletion with %o',
  async (options) => {
    const stage = openPodStage({ scripts: { runner: { endsAfterMs: 1_000, output: 'hello' } } })
    stage.create({ containers: [runner] })
    await stage.clock.advance(5_000)
    const { uid } = stage.pod()?.metadata ?? {}
    stage.cluster.kubelet.stop()
    stage.cluster.kubelet.start()
    const { body } = await stage.cluster.transport('reader')(logRequest)
    const chunks = []
    if (body.kind === 'bytes') for await (const chunk of body.chunks) chunks.push(chunk)
    expect(chunks).toEqual(['hello'])
    stage.cluster.kubelet.stop()
    stage.cluster.kubelet.start()
    stage.registry.delete('pods', 'default', 'p', options)
    await stage.clock.advance(60_000)
    expect(stage.pod()).toBeUndefined()
    expect([...stage.runtime.left().keys()]).not.toContain(uid)
    await stage.cluster.stop()
    expect(stage.clock.next()).toBeUndefined()
  },
)

test('creates a deleted Node again', async () => {
  const stage = openPodStage()
  stage.cluster.kubelet.stop()
  stage.registry.delete('nodes', undefined, 'dayfly')
  stage.cluster.kubelet.start()
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  expect(stage.seen.at(-1)).toBe('0s Running runner=running,started,ready')
})
