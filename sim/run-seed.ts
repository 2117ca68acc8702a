// One seed from its first minute to its last leftover.
import { randomInteger } from '@dayfly/kit/random'
import { stackOf } from '@dayfly/kit/stack-of'
import { specDisasters } from './broken-specs.ts'
import { checkers } from './checkers/all.ts'
import type { Broken, Checker } from './checkers/checker.ts'
import { allDisasters, replaceCredentials } from './disasters.ts'
import { endOutage, outageDisasters } from './forge-outages.ts'
import { giteaDisasters } from './gitea/disasters.ts'
import { sizeDisasters } from './missing-size.ts'
import { followAdvice, installMissingSets, statusOf } from './operator.ts'
import { breakingDisasters } from './reruns.ts'
import { changesFor } from './schedules.ts'
import { seedPlan } from './seed-world.ts'
import { renewalS } from './sets.ts'
import { objectsOf } from './sizes.ts'
import { streamOf } from './streams.ts'
import { type Disaster, startDisasters } from './strikes.ts'
import { type Trace, traceOf } from './trace.ts'
import { startWorkload } from './workload.ts'
import { openWorld, type World } from './world.ts'

export type SeedResult = {
  readonly seed: number
  /** The broken promises, in order; empty if every one was kept. */
  readonly broken: readonly Broken[]
  readonly digest: string
  readonly jobs: number
  readonly virtualMs: number
  readonly lines: readonly string[]
}

const second = 1_000
const minute = 60 * second
/** The repair of a disaster may wait for another one, so that some end only with the faults. */
const repairMs = 90 * second
/** Bitbucket's limit of calls may hold everything up for an hour. */
const settleMs = 75 * minute
const removalMs = 75 * minute
const lookMs = 5 * second

/** @param how `keepsLines`: for a reader; `stopsEarly`: the first broken promise ends the seed after its faults */
export async function runSeed(
  seed: number,
  how: { readonly keepsLines?: boolean; readonly stopsEarly?: boolean } = {},
): Promise<SeedResult> {
  const world = openWorld(seedPlan(seed))
  const { clock } = world
  const startedAt = clock.now()
  const trace = traceOf(world, how.keepsLines ?? false)
  const broken: Broken[] = []
  const say = (one: Broken) => {
    broken.push(one)
    trace.add('BROKEN', `${one.by}: ${one.sentence}`)
  }
  for (const { name, watch } of checkers) watch?.(world, (sentence) => say({ by: name, sentence }))
  const unsafeMs = randomInteger(streamOf(seed, 'length'), minute, 3 * minute)
  const workload = startWorkload(world, streamOf(seed, 'workload'), unsafeMs)
  try {
    const isOver = () => how.stopsEarly === true && broken.length > 0
    await live(world, trace, say, { unsafeMs, isOver })
  } catch (error) {
    say({ by: 'exception', sentence: stackOf(error) })
  }
  const virtualMs = clock.now() - startedAt
  return { seed, broken, digest: trace.digest(), jobs: workload.queued(), virtualMs, lines: trace.lines }
}

/** The four phases: faults, rest, removal, end. */
async function live(
  world: World,
  trace: Trace,
  say: (broken: Broken) => void,
  { unsafeMs, isOver }: { readonly unsafeMs: number; readonly isOver: () => boolean },
): Promise<void> {
  const { clock, seed } = world
  world.start()
  if (streamOf(seed, 'plan')() < 0.5) world.start()
  const note = (name: string) => trace.add('disaster', name)
  const strike = (disasters: readonly Disaster[], stream: string) =>
    startDisasters(world, disasters, { random: streamOf(seed, stream), ms: unsafeMs }, note)
  strike(allDisasters, 'disasters')
  strike(giteaDisasters(world), 'disasters of Gitea')
  strike(breakingDisasters(world), 'broken jobs')
  strike(outageDisasters(world), 'disasters of GitHub')
  strike(specDisasters(world), 'broken specs')
  strike(sizeDisasters(world), 'sizes')
  await clock.advance(unsafeMs)
  if (isOver()) return close(world)
  await heal(world, trace)
  const restless = await rested(world, say)
  for (const one of restless) say(one)
  if (restless.length > 0) for (const set of world.sets) trace.add('status', JSON.stringify(statusOf(world, set)))
  for (const { metadata } of objectsOf(world.sets)) {
    world.registry.delete('runnersets.dayfly.dev', metadata.namespace, metadata.name)
  }
  trace.add('operator', 'deletes every set')
  for (const one of await settled(world, removalMs, 'atEnd')) say(one)
  await close(world)
}

/** Ends every fault, after the repairs of the disasters. */
async function heal(world: World, trace: Trace): Promise<void> {
  const { climate, clock, processes, repairs } = world
  for (let waited = 0; waited < repairMs && repairs.open() > 0; waited += lookMs) await clock.advance(lookMs)
  climate.isFair = true
  endOutage(world)
  trace.add('heal', 'no fault from now on')
  replaceCredentials(world)
  installMissingSets(world)
  if (processes.every(({ isStopped }) => isStopped)) world.start()
}

/** The world must also rest after the last edge of a schedule, and when its idle runners were replaced for their age. */
async function rested(world: World, say: (broken: Broken) => void): Promise<readonly Broken[]> {
  const restless = await settled(world, settleMs, 'atRest', followers(world, say))
  const laterMs = Math.max(0, ...world.sets.map((set) => changesFor(set, renewalS(set) ?? 0, world.clock.now())))
  if (restless.length > 0 || laterMs === 0) return restless
  await world.clock.advance(laterMs)
  return settled(world, settleMs, 'atRest')
}

/** Returns the look of every checker that follows the world. */
function followers(world: World, say: (broken: Broken) => void): () => void {
  const looks = checkers.flatMap(({ name, follow }) => (follow ? [{ name, look: follow(world) }] : []))
  return () => {
    for (const { name, look } of looks) for (const sentence of look()) say({ by: name, sentence })
  }
}

/** Waits until no checker finds anything. Returns what is left after `ms`. */
async function settled(
  world: World,
  ms: number,
  when: 'atRest' | 'atEnd',
  look: () => void = () => {},
): Promise<readonly Broken[]> {
  const hasProblem = () => checkers.some((checker) => problemsOf(checker, world, when).length > 0)
  for (let waited = 0; waited < ms && hasProblem(); waited += lookMs) {
    await world.clock.advance(lookMs)
    if (when === 'atRest') followAdvice(world)
    look()
  }
  return checkers.flatMap((checker) => problemsOf(checker, world, when))
}

function problemsOf(checker: Checker, world: World, when: 'atRest' | 'atEnd'): readonly Broken[] {
  return (checker[when]?.(world) ?? []).map((sentence) => ({ by: checker.name, sentence }))
}

async function close(world: World): Promise<void> {
  const stopping = world.processes.map(({ controller }) => controller.stop())
  const closing = world.cluster.stop()
  world.github.close()
  world.bitbucket.close()
  world.gitea.close()
  await world.clock.advance(3 * minute)
  await Promise.all([...stopping, closing])
}
