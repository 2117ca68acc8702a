// A node whose kubelet is gone for a while: its containers run on, and the API keeps the picture it had.
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../../../test/pod-stage.ts'

const runner = containerOf('runner')

test('a pod deleted while the kubelet is gone hangs past its grace, and goes when the kubelet is back (seen on a real node)', async () => {
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

test('what runs is gone on with: not started again, its end and its probes noted', async () => {
  const exec = (_: readonly string[], elapsed: number) => ({ exitCode: elapsed < 20_000 ? 1 : 0 })
  const stage = openPodStage({ scripts: { runner: { endsAfterMs: 30_000, exec } } })
  const readinessProbe = { exec: { command: ['ready'] }, periodSeconds: 1 }
  stage.create({ containers: [{ ...runner, readinessProbe }] })
  await stage.clock.advance(5_000)
  stage.cluster.kubelet.stop()
  await stage.clock.advance(10_000)
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(stage.deeds()).toEqual(['0s start runner.0', '30s end runner.0'])
  expect(stage.seen.slice(-3)).toEqual([
    '0s Running runner=running,started',
    '20s Running runner=running,started,ready',
    '30s Succeeded runner=Completed(0)',
  ])
})

test('what runs of a pod that is gone is ended; nothing is left when the cluster stops', async () => {
  const stage = openPodStage({ scripts: { runner: { onTerm: 'ignored' } } })
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  stage.cluster.kubelet.stop()
  stage.registry.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 })
  await stage.clock.advance(60_000)
  expect(stage.runtime.running()).toBe(1)
  stage.cluster.kubelet.start()
  await stage.clock.advance(60_000)
  expect(stage.deeds().slice(1)).toEqual(['61s term runner.0', '63s kill runner.0', '63s end runner.0'])
  await stage.cluster.stop()
  expect(stage.clock.next()).toBeUndefined()
})

test('a node that was deleted is there again', async () => {
  const stage = openPodStage()
  stage.cluster.kubelet.stop()
  stage.registry.delete('nodes', undefined, 'dayfly')
  stage.cluster.kubelet.start()
  stage.create({ containers: [runner] })
  await stage.clock.advance(1_000)
  expect(stage.seen.at(-1)).toBe('0s Running runner=running,started,ready')
})
