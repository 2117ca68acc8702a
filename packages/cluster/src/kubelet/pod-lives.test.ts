// Runs many random pod lifecycles on a virtual clock. The rules hold for any behaviour of the containers and any deletion.
import { isFull } from '@dayfly/kit/full.fixture'
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import { expect, test } from 'vitest'
import { field } from '../api/values/json.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'
import type { Script } from '../runtime/scripted/scripted-runtime.ts'

const worlds = isFull ? 150 : 60
const graceSeconds = 5

function randomScript(random: Random): Script {
  const chance = (of: number) => random() < of
  return {
    ...(chance(0.7) ? { endsAfterMs: randomInteger(random, 0, 20_000) } : {}),
    exitCode: chance(0.6) ? 0 : 1,
    onTerm: chance(0.3) ? 'ignored' : { afterMs: randomInteger(random, 0, 8_000), exitCode: chance(0.5) ? 0 : 143 },
    ...(chance(0.05) ? { startError: 'no such command' } : {}),
    exec: () => ({ exitCode: chance(0.5) ? 0 : 1, afterMs: randomInteger(random, 0, 500) }),
  }
}

function randomPod(random: Random): object {
  const chance = (of: number) => random() < of
  const pick = <T>(...items: T[]) => items[randomInteger(random, 0, items.length - 1)] as T
  const probe = { exec: { command: ['x'] }, periodSeconds: 1, failureThreshold: 2 }
  const init = (name: string) =>
    chance(0.5)
      ? containerOf(name, { restartPolicy: 'Always', ...(chance(0.5) ? { startupProbe: probe } : {}) })
      : containerOf(name)
  const main = (name: string) =>
    containerOf(name, {
      ...(chance(0.2) ? { livenessProbe: probe } : {}),
      ...(chance(0.2) ? { lifecycle: { preStop: { exec: { command: ['x'] } } } } : {}),
      ...(chance(0.1) ? { lifecycle: { postStart: { exec: { command: ['x'] } } } } : {}),
      ...(chance(0.1) ? { env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] } : {}),
    })
  return {
    restartPolicy: pick('Never', 'Never', 'OnFailure', 'Always'),
    terminationGracePeriodSeconds: graceSeconds,
    initContainers: ['i1', 'i2'].slice(0, randomInteger(random, 0, 2)).map(init),
    containers: ['c1', 'c2'].slice(0, randomInteger(random, 1, 2)).map(main),
    ...(chance(0.1) ? { activeDeadlineSeconds: randomInteger(random, 1, 10) } : {}),
    ...(chance(0.2) ? { volumes: [{ name: 'v', secret: { secretName: 's' } }] } : {}),
  }
}

const order = ['Pending', 'Running', 'Succeeded', 'Failed']

async function live(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const scripts = new Proxy({}, { get: () => () => randomScript(random) })
  const stage = openPodStage({ scripts })
  const names = ['p1', 'p2', 'p3']
  const forced = new Set<string>()
  const phases = new Map<string, string>()
  stage.registry.subscribe('pods', ({ type, object }) => {
    const { uid, name } = object.metadata
    const phase = String(field(object, 'status', 'phase'))
    const before = phases.get(uid) ?? 'Pending'
    const isOver = before === 'Succeeded' || before === 'Failed'
    if (phase !== before)
      expect([seed, isOver, order.indexOf(phase) > order.indexOf(before)]).toEqual([seed, false, true])
    phases.set(uid, phase)
    if (type === 'DELETED' && !forced.has(name)) expect([seed, name, running(uid)]).toEqual([seed, name, []])
  })
  const running = (uid: string) => {
    const open = new Set<string>()
    for (const { what, container } of stage.runtime.actions) {
      if (!container.startsWith(`${uid}/`)) continue
      if (what === 'start') open.add(container)
      if (what === 'end') open.delete(container)
    }
    return [...open]
  }
  for (const name of names) stage.create(randomPod(random), name)
  for (let step = 0; step < 15; step++) {
    await stage.clock.advance(randomInteger(random, 0, 4_000))
    const name = names[randomInteger(random, 0, 9)]
    if (name && stage.pod(name) && random() < 0.5) {
      const isForced = random() < 0.2
      if (isForced) forced.add(name)
      stage.registry.delete('pods', 'default', name, isForced ? { gracePeriodSeconds: 0 } : {})
    }
    if (random() < 0.1 && !stage.registry.get('secrets', 'default', 's')) {
      const metadata = { name: 's', namespace: 'default' }
      stage.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata, data: { k: 'dg==' } })
    }
  }
  for (const name of names) if (stage.pod(name)) stage.registry.delete('pods', 'default', name)
  // The bound: half a second for each hook, the grace period for a stop under way, and two seconds for containers that waited for it.
  await stage.clock.advance((2 * graceSeconds + 8) * 1_000)
  expect([seed, stage.registry.list('pods').map(({ metadata }) => metadata.name)]).toEqual([seed, []])
  expect([seed, stage.runtime.running()]).toEqual([seed, 0])
  await stage.cluster.stop()
  expect([seed, stage.clock.next()]).toEqual([seed, undefined])
}

test(`in ${worlds} random worlds phases only advance, a pod is removed only when nothing of it runs, and every pod ends`, async () => {
  for (let seed = 1; seed <= worlds; seed++) await live(seed)
}, 60_000)
