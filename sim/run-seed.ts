// One seed from its first minute to its last leftover.
import { randomInteger } from '../src/lib/random.ts'
import { checkers } from './checkers/all.ts'
import { replaceCredentials, startDisasters } from './disasters.ts'
import { followAdvice, installMissingSets, statusOf } from './operator.ts'
import { streamOf } from './streams.ts'
import { type Trace, traceOf } from './trace.ts'
import { startWorkload } from './workload.ts'
import { openWorld, type World } from './world.ts'

export type SeedResult = {
  readonly seed: number
  /** The broken promises, in order; empty if every one was kept. */
  readonly broken: readonly string[]
  readonly digest: string
  readonly jobs: number
  readonly virtualMs: number
  readonly lines: readonly string[]
}

const second = 1_000
const minute = 60 * second
const unsafeMs = 5 * minute
/** The longest aftermath of a disaster. */
const aftermathMs = 150 * second
const settleMs = 45 * minute
const removalMs = 30 * minute

export async function runSeed(seed: number, keepsLines = false): Promise<SeedResult> {
  const world = openWorld(seed)
  const { clock } = world
  const startedAt = clock.now()
  const trace = traceOf(world, keepsLines)
  const broken: string[] = []
  const say = (sentence: string) => {
    broken.push(sentence)
    trace.add('BROKEN', sentence)
  }
  for (const { watch } of checkers) watch?.(world, say)
  const random = streamOf(seed, 'plan')
  world.start()
  if (random() < 0.5) world.start()
  const workload = startWorkload(world, streamOf(seed, 'workload'), unsafeMs)
  startDisasters(world, streamOf(seed, 'disasters'), unsafeMs, (name) => trace.add('disaster', name))
  await clock.advance(unsafeMs + randomInteger(random, 0, minute))
  await heal(world, trace)
  const restless = await settled(world, settleMs, 'atRest')
  for (const sentence of restless) say(sentence)
  if (restless.length > 0) for (const set of world.sets) trace.add('status', JSON.stringify(statusOf(world, set)))
  for (const { namespace, name } of world.sets) world.registry.delete('runnersets.dayfly.dev', namespace, name)
  trace.add('operator', 'deletes every set')
  for (const sentence of await settled(world, removalMs, 'atEnd')) say(`left over: ${sentence}`)
  await close(world)
  const virtualMs = clock.now() - startedAt
  return { seed, broken, digest: trace.digest(), jobs: workload.queued(), virtualMs, lines: trace.lines }
}

/** Ends every fault, after the time in which disasters repair what they broke. */
async function heal(world: World, trace: Trace): Promise<void> {
  const { climate, clock, processes } = world
  await clock.advance(aftermathMs)
  climate.isFair = true
  trace.add('heal', 'no fault from now on')
  replaceCredentials(world)
  installMissingSets(world)
  if (processes.every(({ isStopped }) => isStopped)) world.start()
}

/** Waits until no checker finds anything. Returns what is left after `ms`. */
async function settled(world: World, ms: number, when: 'atRest' | 'atEnd'): Promise<readonly string[]> {
  const problems = () => checkers.flatMap((checker) => checker[when]?.(world) ?? [])
  for (let waited = 0; waited < ms && problems().length > 0; waited += 10 * second) {
    await world.clock.advance(10 * second)
    if (when === 'atRest') followAdvice(world)
  }
  return problems()
}

async function close(world: World): Promise<void> {
  const stopping = world.processes.map(({ controller }) => controller.stop())
  const closing = world.cluster.stop()
  world.github.close()
  world.bitbucket.close()
  await world.clock.advance(3 * minute)
  await Promise.all([...stopping, closing])
}
