// One tick of a set with 10,000 runners, of which one has changed. No sockets: the state, the decision and the fold, as the worker runs them.
import { decide } from '@dayfly/runner-set/core/decide'
import { fold } from '@dayfly/runner-set/core/state/fold'
import { newSetState, worldOf } from '@dayfly/runner-set/core/state/set-state'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import { quantile, round } from './readings.ts'
import { parsedSet } from './set.ts'

export type TickTimes = {
  readonly runners: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const ticks = 2_000
const start = 1_800_000_000_000

/** @param surplus whether all but one of the runners are too many: then each tick looks for the oldest */
export function measureTicks(runners: number, surplus: boolean): TickTimes {
  const state = newSetState(parsedSet({ namespace: 'ci', name: 'linux', url: 'https://github.com/acme', max: runners }))
  const limits = defaultLimits
  const allowance = { now: 0, nextAt: undefined }
  const name = (index: number) => `linux-${String(index).padStart(6, '0')}`
  const pods = new Map(Array.from({ length: runners }, (_, index) => [name(index), facts(index, start)] as const))
  fold(state, { kind: 'pods-listed', pods, askedAt: start }, limits, start)
  const jobs = surplus ? 1 : runners
  const demand = {
    kind: 'forge-event',
    event: { kind: 'demand', demand: { kind: 'assigned', jobs }, at: start },
  } as const
  fold(state, demand, limits, start)
  fold(state, { kind: 'decided', decision: tick(start) }, limits, start)
  const times: number[] = []
  for (let round = 0; round < ticks; round++) {
    const now = start + 100_000 + round * 50
    const from = performance.now()
    fold(state, { kind: 'pod-seen', name: name(round), pod: facts(round, now) }, limits, now)
    // The actions are not folded, so that the next tick finds the same surplus.
    const decision = { ...tick(now), actions: [] }
    fold(state, { kind: 'decided', decision }, limits, now)
    times.push(performance.now() - from)
  }
  times.sort((left, right) => left - right)
  const at = (share: number) => round(quantile(times, share), 3)
  return { runners, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }

  function tick(now: number) {
    return decide(worldOf(state, { allowance }, limits, now), limits, now, [])
  }
}

function facts(index: number, at: number): PodFacts {
  return {
    uid: `uid-${index}`,
    resourceVersion: String(at),
    createdAt: start,
    progressedAt: start,
    node: `node-${index % 100}`,
    startedAt: start,
    end: undefined,
    disrupted: undefined,
    finished: false,
    startFailure: undefined,
    helperCrash: undefined,
    deletionDeadline: undefined,
    registrationId: String(index),
    templateHash: undefined,
    nodeSilentSince: undefined,
  }
}
