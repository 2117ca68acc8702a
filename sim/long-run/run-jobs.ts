// A long run from its first job to its last leftover, with every checker on.
import { cpuUsage, memoryUsage, resourceUsage } from 'node:process'
import { checkers } from '../checkers/all.ts'
import type { Broken } from '../checkers/checker.ts'
import { streamOf } from '../streams.ts'
import { disastersOf } from './disasters.ts'
import { type Lap, lapsOf } from './laps.ts'
import { countObjects, grown } from './leftovers.ts'
import type { Plan } from './plan.ts'
import { type Results, startLongWorkload } from './workload.ts'
import { type LongWorld, openLongWorld } from './world.ts'

export type LongRun = {
  readonly jobs: number
  readonly succeeded: number
  readonly runnersMax: number
  /** The broken promises, in order. The list stops at a hundred. */
  readonly broken: readonly Broken[]
  readonly laps: readonly Lap[]
  readonly cpuSeconds: number
  readonly virtualMs: number
  readonly peakRssMb: number
}

const second = 1_000
const minute = 60 * second
const brokenMax = 100
/** No job needs so long: a run that stands still ends. */
const stillMs = 60 * minute
const settleMs = 75 * minute

export async function runJobs(plan: Plan, onLap: (lap: Lap) => void = () => {}): Promise<LongRun> {
  const world = openLongWorld(plan)
  const { clock } = world
  const startedAt = clock.now()
  const before = countObjects(world)
  const { user, system } = cpuUsage()
  const broken: Broken[] = []
  const say = (one: Broken) => void (broken.length < brokenMax && broken.push(one))
  for (const { name, watch } of checkers) watch?.(world, (sentence) => say({ by: name, sentence }))
  const seen = { requests: 0, runnersMax: 0 }
  world.observers.sent.add(() => void seen.requests++)
  const cpu = () => cpuUsage().user + cpuUsage().system - user - system
  const read = () => ({
    cpuMicroseconds: cpu(),
    virtualMs: clock.now() - startedAt,
    rssMb: Math.round(memoryUsage.rss() / 2 ** 20),
    requests: seen.requests,
  })
  const { laps, finished } = lapsOf(Math.floor(plan.jobs / plan.lap), plan.lap, read, onLap)
  const strike = disastersOf(world, plan.lap, streamOf(plan.seed, 'disasters'))
  const workload = startLongWorkload(world, plan, streamOf(plan.seed, 'workload'), (count) => {
    finished(count)
    strike(count)
  })
  world.start()
  await untilFinished(world, () => {
    seen.runnersMax = Math.max(seen.runnersMax, world.alive.size)
    return workload.results()
  })
  for (const one of await settle(world)) say(one)
  for (const sentence of grown(before, countObjects(world))) say({ by: 'rest', sentence })
  await close(world)
  const { finished: jobs, succeeded } = workload.results()
  const peakRssMb = Math.round(resourceUsage().maxRSS / 1_024)
  const { runnersMax } = seen
  return {
    jobs,
    succeeded,
    runnersMax,
    broken,
    laps,
    cpuSeconds: cpu() / 1e6,
    virtualMs: clock.now() - startedAt,
    peakRssMb,
  }
}

async function untilFinished({ clock }: LongWorld, results: () => Results): Promise<void> {
  let last = { finished: 0, at: clock.now() }
  while (clock.now() < last.at + stillMs) {
    await clock.advance(second)
    const { finished, queued } = results()
    if (finished === queued) return
    if (finished > last.finished) last = { finished, at: clock.now() }
  }
}

/** Ends the faults, lets the world come to rest, and deletes every set. Returns what is wrong. */
async function settle(world: LongWorld): Promise<readonly Broken[]> {
  world.climate.isFair = true
  if (world.processes.every(({ isStopped }) => isStopped)) world.start()
  const restless = await waitFor(world, 'atRest')
  for (const { namespace, name } of world.sets) world.registry.delete('runnersets.dayfly.dev', namespace, name)
  const left = await waitFor(world, 'atEnd')
  return [...restless, ...left]
}

async function waitFor(world: LongWorld, when: 'atRest' | 'atEnd'): Promise<readonly Broken[]> {
  const problems = () =>
    checkers.flatMap((one) => (one[when]?.(world) ?? []).map((sentence) => ({ by: one.name, sentence })))
  let found = problems()
  for (let waited = 0; waited < settleMs && found.length > 0; waited += 10 * second) {
    await world.clock.advance(10 * second)
    found = problems()
  }
  return found
}

async function close(world: LongWorld): Promise<void> {
  const stopping = world.processes.map(({ controller }) => controller.stop())
  for (const { kubelet } of world.nodes) kubelet.stop()
  const closing = world.cluster.stop()
  world.github.close()
  world.bitbucket.close()
  await world.clock.advance(3 * minute)
  await Promise.all([...stopping, closing])
}
