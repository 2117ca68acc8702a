// One set's state, driven by inputs at chosen times, for the tables of the fold's tests.
import type { Decision } from '../../model/action.ts'
import type { EndCause } from '../../model/end-cause.ts'
import type { JournalEvent } from '../../model/event.ts'
import type { Failure } from '../../model/failure.ts'
import type { ForgeEvent } from '../../model/forge-event.ts'
import type { Input } from '../../model/input.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { PodFacts, Registration } from '../../model/runner.ts'
import { runnerPrefix } from '../../model/runner-names.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import { firstCapacity } from '../capacity.ts'
import { decide } from '../decide.ts'
import { phaseOf } from '../phase.ts'
import { ids, limits, now, podFacts, registration, runnerSet } from '../world.fixture.ts'
import { fold } from './fold.ts'
import { newSetState, type StoredStatus, worldOf } from './set-state.ts'

export const a = `${runnerPrefix(runnerSet())}a`
export const seconds = (count: number) => count * 1_000
export const job = { id: 'j', name: 'test', repository: 'acme/app' }
export const refused = (failure: Failure, retryAt?: number) => ({ is: 'refused', failure, retryAt }) as const
export const unreachable: Failure = { reason: 'forge-unreachable', message: 'no response' }
export const unavailable: Failure = { reason: 'api-unavailable', message: 'no response' }

/** A set's state, driven by inputs at chosen times. */
export function open(set: RunnerSet = runnerSet(), stored: StoredStatus = {}) {
  const state = newSetState(set, stored)
  const take = (input: Input, at = now): readonly JournalEvent[] => fold(state, input, limits, at)
  const world = (at = now) => worldOf(state, { allowance: { now: 9, nextAt: undefined } }, limits, at)
  return {
    state,
    take,
    world,
    seen: (facts: Partial<PodFacts> = {}, at = now) => take({ kind: 'pod-seen', name: a, pod: podFacts(facts) }, at),
    gone: (facts: Partial<PodFacts> = {}, at = now) => take({ kind: 'pod-gone', name: a, last: podFacts(facts) }, at),
    list: (pods: Readonly<Record<string, PodFacts>> = {}, askedAt = now, at = askedAt) =>
      take({ kind: 'pods-listed', pods: new Map(Object.entries(pods)), askedAt }, at),
    event: (event: ForgeEvent, at = now) => take({ kind: 'forge-event', event }, at),
    listed: (registrations: readonly Registration[], askedAt = now, at = Math.max(askedAt, now)) =>
      take(
        {
          kind: 'outcome',
          outcome: { action: 'list-registrations', result: { is: 'listed', registrations, askedAt } },
        },
        at,
      ),
    outcome: (outcome: Outcome, at = now) => take({ kind: 'outcome', outcome }, at),
    request: (at = now) => take(decided([{ kind: 'start-runner', runner: a }]), at),
    end: (because: EndCause, at = now) =>
      take(decided([{ kind: 'deregister-runner', runner: a, registration: registration(a), because }]), at),
    remove: (because: EndCause, at = now) =>
      take(
        decided([{ kind: 'delete-runner', runner: a, pod: { uid: 'uid', resourceVersion: undefined }, because }]),
        at,
      ),
    tick: (at = now) => {
      const decision = decide(world(at), limits, at, ids)
      take({ kind: 'decided', decision }, at)
      return decision
    },
    runner: () => state.table.get(a),
    phase: () => {
      const runner = state.table.get(a)
      return runner && phaseOf(runner)
    },
    pending: () =>
      state.pendingRemovals.all().map(({ registration: { name }, dueAt, early }) => ({ name, in: dueAt - now, early })),
  }
}

function decided(actions: Decision['actions']): Input {
  return { kind: 'decided', decision: { ...emptyDecision, actions } }
}

export const emptyDecision: Decision = {
  actions: [],
  held: undefined,
  scaledBy: undefined,
  capacity: firstCapacity(runnerSet()),
  unassigned: undefined,
  due: [],
  marks: [],
  wakeAt: undefined,
  events: [],
}
