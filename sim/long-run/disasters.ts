// The disasters of a long run. They follow the finished jobs, so that a short run has as many for each job as a long one.
import type { StoredObject } from '@dayfly/cluster/store/object'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { pick } from '../streams.ts'
import type { World } from '../world.ts'

/** After how many finished jobs each large disaster strikes again, and one of the small ones. */
export type Rates = { readonly large: number; readonly small: number }

type Strike = (world: World, random: Random) => void

/** Ends each process, and forgets it with all that it remembers. */
function endAll({ processes }: World): void {
  for (const process of processes.splice(0)) {
    process.isStopped = true
    void process.controller.stop()
  }
}

/** The controller is killed between two instructions. The next one starts when the Lease has expired. */
const crash: Strike = (world, random) => {
  for (const { open } of world.processes) open.api = open.forge = false
  endAll(world)
  world.repairs.in(randomInteger(random, 0, 20_000), () => world.start())
}

const restart: Strike = (world) => {
  if (world.processes.length === 0) return
  endAll(world)
  world.start()
}

const forgeOutage: Strike = ({ github: { control }, repairs }, random) => {
  const answer = { kind: 'answer', status: pick([429, 500, 503], random), headers: {}, body: {} } as const
  const id = control.fault({ match: { pathRegex: '.' }, times: 1_000_000, action: answer })
  repairs.in(randomInteger(random, 20_000, 90_000), () => control.removeFault(id))
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
  world.repairs.in(randomInteger(random, 200_000, 500_000), () => kubelet.start())
}

function somePod(world: World, random: Random): StoredObject | undefined {
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

/** At which share of a period each of the large disasters strikes. */
const large: readonly (readonly [share: number, strike: Strike])[] = [
  [0.1, crash],
  [0.35, forgeOutage],
  [0.55, restart],
  [0.75, nodeLoss],
]
const small = [podLoss, podDeletion, containerDeath]

/** Returns what to call after each finished job. */
export function disastersOf(world: World, { large: period, small: smallEvery }: Rates, random: Random) {
  const due = new Map(large.map(([share, strike]) => [Math.round(period * share), strike]))
  const later = (strike: Strike) => void world.clock.after(0, () => strike(world, random))
  return (finished: number): void => {
    const strike = due.get(finished % period)
    if (strike) later(strike)
    if (finished % smallEvery === 0) later(pick(small, random))
  }
}
