// Sets of one namespace share a ceiling. GitHub shows each set only the jobs that it has taken, up to the number that the set announces.
import { readPoolMates } from '@dayfly/controller/operate/pool-mates'
import { readSet } from '@dayfly/controller/operate/set-view'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { expect, it } from 'vitest'
import { Kubelet } from './kubelet.ts'
import {
  namespace,
  openStage,
  podNames,
  queue,
  run,
  runnerSetObject,
  type Stage,
  schedule,
  secrets,
  status,
} from './stage.ts'

const seconds = (count: number) => count * 1_000

type Member = { readonly min?: number; readonly floor?: number; readonly weight?: number }

const spec = ({ min = 0, ...part }: Member) => ({ scale: { min, max: 10, pool: { name: 'ci', max: 6, ...part } } })

/** Two sets in a pool of six, at real latency. */
async function open(small: Member, large: Member) {
  const killed = new Set<string>()
  const stage = await openStage({ set: 'small', spec: spec(small), forgeMs: 150, apiMs: 50, killed })
  stage.registry.create('runnersets.dayfly.dev', runnerSetObject('large', spec(large)))
  const kubelets = { small: new Kubelet(stage, 'small'), large: new Kubelet(stage, 'large') }
  await stage.clock.advance(seconds(5))
  return { stage, kubelets, killed }
}

type World = Awaited<ReturnType<typeof open>>

const livingOf = (stage: Stage, set: string) => podNames(stage).filter((name) => name.startsWith(`${set}-`)).length

const nowhere = [{ timeZone: 'Mars/Base', from: '09:00', to: '10:00', min: 0 }]

function reschedule(stage: Stage, set: string, schedule: unknown): void {
  const object = stage.registry.get('runnersets.dayfly.dev', namespace, set)
  const spec = Object(object?.['spec'])
  const scale = { ...spec.scale, schedule }
  if (object) stage.registry.update('runnersets.dayfly.dev', { ...object, spec: { ...spec, scale } })
}

/** Returns how many pods of `large` lived at once while these kubelets worked. */
async function mostOfLarge(stage: Stage, working: readonly Kubelet[], tenths: number): Promise<number> {
  let most = 0
  for (let tenth = 0; tenth < tenths; tenth++) {
    for (const kubelet of working) await kubelet.work()
    most = Math.max(most, livingOf(stage, 'large'))
    await stage.clock.advance(100)
  }
  return most
}

/** Returns the members whose places `dayfly explain` names for `large`, without their pods. */
async function matesOfLarge({ transport, clock }: Stage) {
  const cluster = { kubernetes: createKubernetes({ transport, clock, random: seededRandom(1) }), clock }
  const mates = readSet(cluster, { namespace, name: 'large' }).then(
    (large) => large?.set && readPoolMates(cluster, large.set, [], defaultLimits),
  )
  await clock.advance(seconds(1))
  return mates
}

/** Works until all jobs have ended. @param each is called ten times a second */
async function runAll({ stage, kubelets }: World, jobs: number, each: () => void = () => {}): Promise<void> {
  const until = stage.clock.now() + seconds(1_200)
  const ended = () => kubelets.small.ended.size + kubelets.large.ended.size
  while (ended() < jobs && stage.clock.now() < until) {
    await kubelets.small.work()
    await kubelets.large.work()
    each()
    await stage.clock.advance(100)
  }
  expect(ended()).toBe(jobs)
}

it('the pods of a pool never pass its ceiling, a floor stays free, and weights divide the rest', {
  timeout: 120_000,
}, async () => {
  const world = await open({}, { floor: 1, weight: 2 })
  const { stage } = world
  queue(stage, 15, 'small')
  let most = 0
  let alone = 0
  await runAll(world, 15, () => {
    most = Math.max(most, podNames(stage).length)
    alone = Math.max(alone, livingOf(stage, 'small'))
  })
  expect([most, alone]).toEqual([5, 5])
  queue(stage, 40, 'small')
  await stage.clock.advance(seconds(10))
  queue(stage, 40, 'large')
  const shares: number[] = []
  const began = stage.clock.now()
  await runAll(world, 95, () => {
    most = Math.max(most, podNames(stage).length)
    const [small, large] = [livingOf(stage, 'small'), livingOf(stage, 'large')]
    if (stage.clock.now() > began + seconds(60) && small + large === 6 && shares.length < 1_000) shares.push(large)
  })
  expect(most).toBe(6)
  const usual = shares.toSorted((left, right) => left - right)[Math.floor(shares.length / 2)]
  expect(usual).toBe(4)
})

it('idle spares of one set leave for the jobs of another', async () => {
  const { stage, kubelets } = await open({ min: 6, floor: 0 }, {})
  for (const name of podNames(stage)) {
    schedule(stage, name)
    run(stage, name)
    stage.emulator.control.stub.online(name)
  }
  await stage.clock.advance(seconds(20))
  expect(status(stage, 'small')).toMatchObject({ idle: 6 })
  queue(stage, 3, 'large')
  let most = 0
  for (let tenth = 0; tenth < 3_000; tenth++) {
    await kubelets.large.work()
    most = Math.max(most, podNames(stage).length)
    await stage.clock.advance(100)
  }
  expect([kubelets.large.ended.size, most]).toEqual([3, 6])
})

it('a member whose template is refused reserves no place, and gets its share once it is corrected', async () => {
  const { stage, kubelets, killed } = await open({}, {})
  queue(stage, 30, 'small')
  await stage.clock.advance(seconds(10))
  expect(livingOf(stage, 'small')).toBe(6)
  const mounts = (names: readonly string[]) => {
    const object = stage.registry.get('runnersets.dayfly.dev', namespace, 'small')
    const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }))
    const template = { spec: { containers: [{ name: 'runner', volumeMounts }] } }
    const spec = { ...Object(object?.['spec']), template }
    if (object) stage.registry.update('runnersets.dayfly.dev', { ...object, spec })
  }
  mounts(['absent'])
  for (const name of podNames(stage)) if (name.startsWith('small-')) stage.registry.delete('pods', namespace, name)
  await stage.clock.advance(seconds(5))
  queue(stage, 30, 'large')
  expect(await mostOfLarge(stage, [kubelets.large], 300)).toBe(6)
  expect(await matesOfLarge(stage)).toMatchObject([{ occupied: 0, jobs: 0, asked: 0 }])
  mounts([])
  let beside = 0
  await runAll({ stage, kubelets, killed }, 60, () => {
    if (livingOf(stage, 'large') > 0) beside = Math.max(beside, livingOf(stage, 'small'))
  })
  expect(beside).toBeGreaterThanOrEqual(3)
})

it('a member that cannot be read any more keeps the places of its runners until they end', async () => {
  const { stage, kubelets } = await open({}, {})
  queue(stage, 4, 'small')
  for (let tenth = 0; tenth < 100; tenth++) {
    await kubelets.small.work()
    await stage.clock.advance(100)
  }
  const busy = livingOf(stage, 'small')
  expect(busy).toBe(4)
  reschedule(stage, 'small', nowhere)
  queue(stage, 14, 'large')
  expect(await mostOfLarge(stage, [kubelets.large], 450)).toBe(2)
  expect(await mostOfLarge(stage, [kubelets.large, kubelets.small], 450)).toBe(6)
})

it('a member that cannot be read keeps its floor: while its link is removed, after a new start, and until it is deleted', async () => {
  const { stage, kubelets, killed } = await open({ min: 2 }, {})
  const most = (tenths: number) => mostOfLarge(stage, [kubelets.large, kubelets.small], tenths)
  await most(100)
  queue(stage, 20, 'large')
  // Both changes arrive before the earlier worker has ended.
  reschedule(stage, 'small', nowhere)
  reschedule(stage, 'small', [{ ...nowhere[0], timeZone: 'UTC' }])
  expect(await most(100)).toBe(4)
  queue(stage, 40, 'large')
  reschedule(stage, 'small', nowhere)
  expect(await most(300)).toBe(4)
  for (const name of podNames(stage)) if (name.startsWith('small-')) stage.registry.delete('pods', namespace, name)
  killed.add('controller-1')
  stage.controller = stage.start('controller-2')
  expect(await most(600)).toBe(4)
  expect(await matesOfLarge(stage)).toMatchObject([{ floor: 2, occupied: 0, jobs: 0 }])
  stage.registry.delete('runnersets.dayfly.dev', namespace, 'small')
  expect(await most(100)).toBe(6)
})

it('a killed controller leaves the ceiling whole, and each job runs once', async () => {
  const world = await open({}, { weight: 3 })
  const { stage, killed } = world
  const ids = [...queue(stage, 20, 'small'), ...queue(stage, 20, 'large')].map(({ id }) => id)
  let most = 0
  let restartAt = Number.POSITIVE_INFINITY
  await runAll(world, 40, () => {
    most = Math.max(most, podNames(stage).length)
    if (killed.size === 0 && world.kubelets.large.ended.size > 3) {
      killed.add('controller-1')
      restartAt = stage.clock.now() + seconds(20)
    }
    if (stage.clock.now() < restartAt) return
    restartAt = Number.POSITIVE_INFINITY
    stage.controller = stage.start('controller-2')
  })
  expect(most).toBeLessThanOrEqual(6)
  expect(ids.map((id) => stage.emulator.control.job(id)?.attempt)).toEqual(ids.map(() => 1))
  for (let second = 0; second < 60; second++) {
    await world.kubelets.small.work()
    await world.kubelets.large.work()
    await stage.clock.advance(seconds(1))
  }
  expect([...podNames(stage), ...secrets(stage)]).toEqual([])
  expect(status(stage, 'small')).toMatchObject({ announced: 6, busy: 0 })
})
