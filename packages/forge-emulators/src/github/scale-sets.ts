// Creates, finds and removes scale sets (docs/reference/scale-set-protocol.md#s7).
import { limits } from './config.ts'
import type { Emulation } from './emulation.ts'
import { returnToQueue } from './jobs.ts'
import { removeRunner } from './runners.ts'
import { endSession } from './sessions.ts'
import type { Label, ScaleSet, Scope } from './state.ts'

export type ScaleSetSpec = {
  readonly name: string
  readonly groupId: number
  readonly labels: readonly { readonly name: string; readonly type: string }[]
  readonly setting: Readonly<Record<string, unknown>>
}

export function createScaleSet(emulation: Emulation, scope: Scope, spec: ScaleSetSpec): ScaleSet {
  const { state, clock } = emulation
  const set = scaleSetFrom({
    id: ++state.ids.set,
    scope,
    name: spec.name,
    groupId: spec.groupId,
    labels: numberLabels(emulation, spec.labels),
    setting: spec.setting,
    createdAt: clock.now(),
    lastSeenAt: clock.now(),
  })
  state.sets.set(set.id, set)
  return set
}

type Described = Pick<ScaleSet, 'id' | 'scope' | 'name' | 'groupId' | 'labels' | 'setting' | 'createdAt' | 'lastSeenAt'>

/** Returns a scale set without a session, job or runner. */
export function scaleSetFrom(described: Described): ScaleSet {
  return {
    ...described,
    session: undefined,
    offered: new Set(),
    waiting: new Set(),
    reserved: new Set(),
    running: new Set(),
    runners: new Set(),
    online: new Set(),
    idle: new Set(),
    pending: [],
    messages: [],
  }
}

/** Returns the sets of a scope. Sets without a request for seven days are removed. */
export function scaleSetsOf(emulation: Emulation, scope: Scope): readonly ScaleSet[] {
  return [...emulation.state.sets.keys()].flatMap((id) => scaleSetWithId(emulation, scope, id) ?? [])
}

export function scaleSetWithId(emulation: Emulation, scope: Scope, id: number): ScaleSet | undefined {
  const set = emulation.state.sets.get(id)
  if (!set || set.scope !== scope) return undefined
  if (emulation.clock.now() - set.lastSeenAt <= limits.scaleSetUnusedMs) return set
  removeScaleSet(emulation, set)
  return undefined
}

export function numberLabels(
  emulation: Emulation,
  labels: readonly { readonly name: string; readonly type: string }[],
): readonly Label[] {
  const { state, knobs } = emulation
  return labels.map(({ name, type }) => ({
    id: ++state.ids.label,
    name,
    type: knobs.labelTypeCase === 'lower' ? type.toLowerCase() : type,
  }))
}

/** Removes a set with its session and runners. Jobs without a runner return to the queue. */
export function removeScaleSet(emulation: Emulation, set: ScaleSet): void {
  emulation.state.sets.delete(set.id)
  if (set.session) endSession(emulation, set.session)
  for (const job of [...set.offered, ...set.waiting, ...set.reserved]) returnToQueue(emulation, job)
  for (const runner of set.runners) removeRunner(emulation, runner)
}
