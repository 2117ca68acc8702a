// The world of one seed: small, with many faults. Everything in it is drawn from the seed.
import { type Random, randomInteger } from '@dayfly/kit/random'
import { giteaOf, withoutGitea } from './gitea/plan.ts'
import {
  namespaces,
  setsOf,
  withAges,
  withHabits,
  withJobPods,
  withKeeps,
  withLives,
  withPercentages,
  withPool,
  withSchedules,
} from './sets.ts'
import { withSizes } from './sizes.ts'
import { pick, streamOf } from './streams.ts'
import { fairWeather, weatherOf } from './weather.ts'
import type { WorldPlan } from './world.ts'

export function seedPlan(seed: number): WorldPlan {
  const random = streamOf(seed, 'world')
  // The order of these draws is part of what a seed means.
  const first = setsOf(random)
  const weather = { fair: fairWeather(random), api: weatherOf(random), forge: weatherOf(random) }
  const weak = { neverOnline: random() < 0.3 ? 0.15 : 0, ignoresTerm: random() < 0.3 ? 0.2 : 0 }
  const terminatedPodGcThreshold = random() < 0.3 ? randomInteger(random, 1, 3) : 12_500
  // Its numbers come from a stream of its own: a seed without Gitea stays as it was.
  const gitea = giteaOf(streamOf(seed, 'the world of Gitea'))
  const taken = new Set(gitea?.sets.map(({ namespace }) => namespace))
  const pooled = withPool(first, streamOf(seed, 'the pools'))
  // Likewise: a seed without repeated jobs stays as it was.
  const reruns = streamOf(seed, 'reruns')() < 0.4
  const all = [...pooled.filter(({ namespace }) => !taken.has(namespace)), ...(gitea?.sets ?? [])].map((set) =>
    reruns && set.forge === 'github' ? { ...set, reruns } : set,
  )
  const aged = withAges(withSchedules(all, streamOf(seed, 'the schedules')), streamOf(seed, 'the ages'))
  const bounded = withLives(aged, streamOf(seed, 'the lives'))
  const usual = withHabits(bounded, streamOf(seed, 'the habits'))
  const shared = withPercentages(usual, streamOf(seed, 'the percentages'))
  const kept = withKeeps(shared, streamOf(seed, 'the kept pods'))
  const podded = withJobPods(kept, streamOf(seed, 'the pods of jobs'))
  const sets = withSizes(podded, streamOf(seed, 'the sizes'))
  return {
    ...{ seed, sets, namespaces, weather, weak, nodes: [{}], cluster: { terminatedPodGcThreshold } },
    github: githubKnobs(streamOf(seed, 'forges')),
    gitea: gitea?.plan ?? withoutGitea,
    streamOf: (part) => streamOf(seed, part),
    offsetOf: (process) => offsetOf(streamOf(seed, `${process}'s machine`)),
  }
}

/** A third of the machines shows the right time, and the others are wrong by up to half an hour. */
function offsetOf(random: Random): number {
  return pick([-1, 0, 1], random) * randomInteger(random, 10_000, 1_800_000)
}

/** Small knobs: an hour of GitHub's patience would be an hour of every seed. */
function githubKnobs(random: Random): WorldPlan['github'] {
  return {
    longPollMs: 50_000,
    jobLeaseS: 90,
    assignmentLeaseS: 60,
    maxAttempts: 1_000,
    runnerIdleS: 120,
    zeroCapacity: 'defer',
    registrationDelayMs: randomInteger(random, 0, 5_000),
    completedDelayMs: randomInteger(random, 0, 5_000),
    restBudget: 0,
    idleLifeS: 20,
    queueDelayS: 40,
  }
}
