// Two days of pipelines: a working day with bursts and a night, then a day of a weekend.
import { type Random, randomInteger } from '@dayfly/kit/random'

export type QueuedStep = { readonly atMs: number; readonly durationMs: number }

const minute = 60_000
const hour = 60 * minute
export const daysMs = 48 * hour
/** Releases, each with many steps at once, and the nightly tests. */
const releases = [2, 9, 13, 17]
const stepsOfRelease = 15

/** Returns the steps in order of their times, the same for the same seed. */
export function workload(random: Random): readonly QueuedStep[] {
  const steps: QueuedStep[] = []
  for (let at = 0; at < daysMs; at += minute) {
    const hourOfDay = Math.floor(at / hour) % 24
    if (random() < pipelinesPerHour(at, hourOfDay) / 60) addPipeline(steps, at, random)
    if (at < 24 * hour && at % hour === 0 && releases.includes(hourOfDay)) addSteps(steps, at, stepsOfRelease, random)
  }
  return steps.sort((left, right) => left.atMs - right.atMs)
}

function pipelinesPerHour(at: number, hourOfDay: number): number {
  if (at >= 24 * hour) return 1
  if (hourOfDay >= 8 && hourOfDay < 18) return 12
  return hourOfDay >= 6 && hourOfDay < 22 ? 4 : 1
}

/** Parallel steps, and for some pipelines a second stage minutes later. */
function addPipeline(steps: QueuedStep[], at: number, random: Random): void {
  addSteps(steps, at, randomInteger(random, 1, 6), random)
  if (random() < 0.3) addSteps(steps, at + randomInteger(random, 3, 8) * minute, randomInteger(random, 1, 3), random)
}

/** Most steps are short: the mean is 3 minutes. */
function addSteps(steps: QueuedStep[], at: number, count: number, random: Random): void {
  for (let index = 0; index < count; index++) {
    const durationMs = Math.round(20_000 - 160_000 * Math.log(1 - random() * 0.99))
    steps.push({ atMs: at + randomInteger(random, 0, 5_000), durationMs })
  }
}
