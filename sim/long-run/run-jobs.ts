// A long run from its first job to its last leftover, with every checker on. It lives in one world, or in a chain of them: each of
// these comes to rest at the end of its lap, and the next one begins with what it has left.
import { cpuUsage, memoryUsage, resourceUsage } from 'node:process'
import { checkers } from '../checkers/all.ts'
import type { Broken } from '../checkers/checker.ts'
import { saveWorld } from '../save-world.ts'
import { openWorld, type World } from '../world.ts'
import { disastersOf } from './disasters.ts'
import { type Lap, lapBetween, type Reading } from './laps.ts'
import { countObjects, grown, type Leftovers } from './leftovers.ts'
import { worldPlanOf } from './plan.ts'
import type { Progress } from './progress.ts'
import { type Results, startLongWorkload } from './workload.ts'

export type Watching = {
  readonly onLap?: (lap: Lap) => void
  /** Called for each second of virtual time, with the number of finished jobs. */
  readonly onSecond?: (finished: number) => void
}

const second = 1_000
const minute = 60 * second
const brokenMax = 100
/** No job needs so long: a run that stands still ends. */
const stillMs = 60 * minute
const settleMs = 75 * minute

/** Lives in one world until this many jobs are done, those of earlier worlds included. The last world also deletes its sets. */
export async function runWorld(run: Progress, until: number, watching: Watching = {}): Promise<Progress> {
  const { plan } = run
  const piece = worldPlanOf(plan, run.saved ? run.laps.length : 0)
  const world = openWorld(piece, run.saved)
  const startedAt = world.clock.now()
  const before = run.before ?? countObjects(world)
  const broken = [...run.broken]
  const laps = [...run.laps]
  const say = (one: Broken) => void (broken.length < brokenMax && broken.push(one))
  for (const { name, watch } of checkers) watch?.(world, (sentence) => say({ by: name, sentence }))
  const seen = { requests: run.used.requests, runnersMax: run.runnersMax }
  world.observers.sent.add(() => void seen.requests++)
  const { user, system } = cpuUsage()
  const read = (jobs: number): Reading => ({
    jobs,
    cpuMicroseconds: run.used.cpuMicroseconds + cpuUsage().user + cpuUsage().system - user - system,
    virtualMs: run.used.virtualMs + world.clock.now() - startedAt,
    requests: seen.requests,
  })
  let last = run.used
  const endLap = (jobs: number) => {
    const now = read(jobs)
    const lap = lapBetween(last, now, Math.round(memoryUsage.rss() / 2 ** 20))
    last = now
    laps.push(lap)
    watching.onLap?.(lap)
  }
  const strike = disastersOf(world, plan.disasters, piece.streamOf('disasters'))
  const jobs = { random: piece.streamOf('workload'), before: run.results, until }
  const workload = startLongWorkload(world, jobs, (finished) => {
    strike(finished)
    // The lap at the end of the world ends when the world is at rest.
    if (finished % plan.lap === 0 && finished < until) endLap(finished)
  })
  world.start()
  await untilFinished(world, () => {
    seen.runnersMax = Math.max(seen.runnersMax, world.alive.size)
    watching.onSecond?.(workload.results().finished)
    return workload.results()
  })
  const restless = await settle(world)
  for (const one of restless) say(one)
  const isLast = until >= plan.jobs || restless.length > 0
  if (isLast) for (const one of await clear(world, before)) say(one)
  await stopProcesses(world)
  const saved = isLast ? undefined : saveWorld(world)
  const results = workload.results()
  endLap(results.finished)
  await close(world)
  const peakRssMb = Math.max(run.peakRssMb, Math.round(resourceUsage().maxRSS / 1_024))
  return { plan, laps, broken, results, used: last, runnersMax: seen.runnersMax, peakRssMb, before, saved }
}

async function untilFinished({ clock }: World, results: () => Results): Promise<void> {
  let last = { finished: 0, at: clock.now() }
  while (clock.now() < last.at + stillMs) {
    await clock.advance(second)
    const { finished, queued } = results()
    if (finished === queued) return
    if (finished > last.finished) last = { finished, at: clock.now() }
  }
}

/** Ends the faults, and lets the world come to rest. Returns what is wrong. */
async function settle(world: World): Promise<readonly Broken[]> {
  const { climate, clock, repairs, processes } = world
  while (repairs.open() > 0) await clock.advance(10 * second)
  climate.isFair = true
  if (processes.every(({ isStopped }) => isStopped)) world.start()
  return await waitFor(world, 'atRest')
}

/** Deletes every set. Returns what is left. */
async function clear(world: World, before: Leftovers): Promise<readonly Broken[]> {
  for (const { namespace, name } of world.sets) world.registry.delete('runnersets.dayfly.dev', namespace, name)
  const left = await waitFor(world, 'atEnd')
  return [...left, ...grown(before, countObjects(world)).map((sentence) => ({ by: 'rest', sentence }) as const)]
}

async function waitFor(world: World, when: 'atRest' | 'atEnd'): Promise<readonly Broken[]> {
  const problems = () =>
    checkers.flatMap((one) => (one[when]?.(world) ?? []).map((sentence) => ({ by: one.name, sentence })))
  let found = problems()
  for (let waited = 0; waited < settleMs && found.length > 0; waited += 10 * second) {
    await world.clock.advance(10 * second)
    found = problems()
  }
  return found
}

async function stopProcesses({ processes, clock }: World): Promise<void> {
  const stopping = processes.map((process) => {
    process.isStopped = true
    return process.controller.stop()
  })
  await clock.advance(3 * minute)
  await Promise.all(stopping)
}

async function close({ nodes, cluster, github, bitbucket, gitea, clock }: World): Promise<void> {
  for (const { kubelet } of nodes) kubelet.stop()
  const closing = cluster.stop()
  github.close()
  bitbucket.close()
  gitea.close()
  await clock.advance(3 * minute)
  await closing
}
