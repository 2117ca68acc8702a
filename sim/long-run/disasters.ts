// The disasters of a long run. They follow the finished jobs, so that every lap has the same ones.
import type { StoredObject } from '@dayfly/cluster/store/object'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { pick } from '../streams.ts'
import type { LongWorld } from './world.ts'

type Strike = (world: LongWorld, random: Random) => void

/** The controller is killed between two instructions. The next one starts when the Lease has expired. */
const crash: Strike = (world, random) => {
  for (const process of world.processes) {
    process.isStopped = true
    process.open.api = process.open.forge = false
    void process.controller.stop()
  }
  world.clock.after(randomInteger(random, 0, 20_000), () => world.start())
}

const restart: Strike = (world) => {
  const [process] = world.processes
  if (!process) return
  process.isStopped = true
  void process.controller.stop()
  world.start()
}

const forgeOutage: Strike = ({ github: { control }, clock }, random) => {
  const answer = { kind: 'answer', status: pick([429, 500, 503], random), headers: {}, body: {} } as const
  const id = control.fault({ match: { pathRegex: '.' }, times: 1_000_000, action: answer })
  clock.after(randomInteger(random, 20_000, 90_000), () => control.removeFault(id))
}

/** A machine loses its power with all its containers, and comes back after its pods were evicted. */
const nodeLoss: Strike = (world, random) => {
  const { name, kubelet } = pick(world.nodes.slice(1, -1), random)
  kubelet.stop()
  for (const pod of world.registry.list('pods')) {
    const container = world.alive.get(pod.metadata.uid)
    if (!container || Object(pod['spec']).nodeName !== name) continue
    world.harmed.add(pod.metadata.name)
    container.end({ exitCode: 137 })
  }
  world.clock.after(randomInteger(random, 200_000, 500_000), () => kubelet.start())
}

function somePod(world: LongWorld, random: Random): StoredObject | undefined {
  const pods = world.registry.list('pods', pick(world.sets, random).namespace)
  return pods.length > 0 ? pick(pods, random) : undefined
}

const podLoss: Strike = (world, random) => {
  const pod = somePod(world, random)
  if (pod) world.registry.delete('pods', pod.metadata.namespace, pod.metadata.name, { gracePeriodSeconds: 0 })
}

const podDeletion: Strike = (world, random) => {
  const pod = somePod(world, random)
  if (pod) world.registry.delete('pods', pod.metadata.namespace, pod.metadata.name)
}

const containerDeath: Strike = (world, random) => {
  const pod = somePod(world, random)
  const container = pod && world.alive.get(pod.metadata.uid)
  if (!pod || !container) return
  world.harmed.add(pod.metadata.name)
  container.end({ exitCode: 137, ...(random() < 0.5 ? { reason: 'OOMKilled' } : {}) })
}

/** Where in a lap each of the large disasters strikes. */
const large: readonly (readonly [share: number, strike: Strike])[] = [
  [0.1, crash],
  [0.35, forgeOutage],
  [0.55, restart],
  [0.75, nodeLoss],
]
const small = [podLoss, podDeletion, containerDeath]
/** One of the small disasters strikes for this many finished jobs, or more often in a short lap. */
const smallEveryMax = 500

/** Returns what to call after each finished job. */
export function disastersOf(world: LongWorld, lap: number, random: Random): (finished: number) => void {
  const due = new Map(large.map(([share, strike]) => [Math.round(lap * share), strike]))
  const smallEvery = Math.min(smallEveryMax, Math.ceil(lap / 4))
  const later = (strike: Strike) => void world.clock.after(0, () => strike(world, random))
  return (finished) => {
    const strike = due.get(finished % lap)
    if (strike) later(strike)
    if (finished % smallEvery === 0) later(pick(small, random))
  }
}
