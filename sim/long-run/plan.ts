// The plan of a long run: its jobs, its runners, its sets, and the world that they live in.
import { withoutGitea } from '../gitea/plan.ts'
import type { SetSpec } from '../sets.ts'
import { longStreamOf, streamOf } from '../streams.ts'
import { fairWeather, type Weather } from '../weather.ts'
import type { WorldPlan } from '../world.ts'
import type { Rates } from './disasters.ts'

export type Plan = {
  readonly seed: number
  readonly jobs: number
  readonly runners: number
  readonly sets: readonly SetSpec[]
  /** The cost is reported once for this many jobs. */
  readonly lap: number
  readonly disasters: Rates
}

/** GitHub registers at most 1,500 runners of one organization in five minutes, so each set has one of its own. */
const runnersPerSet = 500
const lapMax = 100_000
const disasters: Rates = { large: 100_000, small: 500 }

/** @param runners the most runners at the same time */
export function planOf(seed: number, jobs: number, runners: number): Plan {
  const count = Math.ceil(runners / runnersPerSet)
  const sets = Array.from({ length: count }, (_, index): SetSpec => {
    const max = Math.floor(runners / count) + (index < runners % count ? 1 : 0)
    const number = String(index + 1)
    const place = { namespace: `team-${number}`, name: `linux-${number}`, account: `acme-${number}` }
    return { ...place, forge: 'github', labels: [`runner-${number}`], min: 0, max }
  })
  return { seed, jobs, runners, sets, lap: jobs >= 2 * lapMax ? lapMax : Math.ceil(jobs / 5), disasters }
}

/** Four nodes are full of runners, and the fifth has room for those of a lost one. */
const nodeCount = 5
/** A cluster with many short pods keeps its Events for less than an hour, which is the default of kube-apiserver. */
const eventTtlMs = 5 * 60_000
/** The namespace of the controller's Lease. */
const ownNamespace = 'a'

/** Every fault is on, and rare: most runners of a long run must live their lives. */
const weather: Weather = {
  latencyMs: [4, 60],
  refusedConnection: 0.000_2,
  lostAnswer: 0.000_2,
  overload: 0.000_5,
  refusal: 0.000_2,
  slow: 0.000_2,
  silence: 0.000_05,
  duplicate: 0.000_2,
  brokenStream: 0.01,
  expiredWatch: 0.01,
  falseList: 0.001,
}

/** @param piece the number of the world, from 0 on: each draws other numbers */
export function worldPlanOf({ seed, sets, runners }: Plan, piece: number): WorldPlan {
  const partOf = (part: string) => (piece === 0 ? part : `${part} of piece ${piece}`)
  const capacity = { cpu: '1000', 'ephemeral-storage': '4Ti', memory: '4Ti', pods: podsOf(runners) }
  const nodeOf = (index: number) => ({ name: `node-${index + 1}`, capacity })
  return {
    ...{ seed, sets, namespaces: [ownNamespace, ...sets.map(({ namespace }) => namespace)] },
    weather: { fair: fairWeather(streamOf(seed, 'weather')), api: weather, forge: weather },
    weak: { neverOnline: 0.000_5, ignoresTerm: 0.001 },
    nodes: [nodeOf(0), ...Array.from({ length: nodeCount - 1 }, (_, index) => nodeOf(index + 1))],
    cluster: { eventTtlMs },
    github: { zeroCapacity: 'defer', maxAttempts: 1_000, restBudget: 0, registrationDelayMs: 1_000 },
    gitea: withoutGitea,
    streamOf: (part) => longStreamOf(seed, partOf(part)),
    offsetOf: () => 0,
  }
}

function podsOf(runners: number): string {
  return String(Math.ceil(runners / (nodeCount - 1)))
}
