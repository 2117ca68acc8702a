// The state that an emulated GitHub without runners and jobs leaves to the next one: its groups, its scale sets, and how far it has counted.
import { type ScaleSetSpec, scaleSetFrom } from './scale-sets.ts'
import { createState, type Group, type ScaleSet, type ScopeKind, type State, scopeOf } from './state.ts'

/** Plain values, so that a file can hold them. */
export type KeptState = {
  readonly ids: State['ids']
  readonly scopes: readonly { readonly kind: ScopeKind; readonly name: string; readonly groups: readonly Group[] }[]
  readonly scaleSets: readonly KeptScaleSet[]
}

type KeptScaleSet = ScaleSetSpec &
  Pick<ScaleSet, 'id' | 'labels' | 'createdAt' | 'lastSeenAt'> & {
    /** The kind and the name of the scope. */
    readonly scope: string
  }

/** Returns what can be kept. Throws while there is a runner, a session or an open job, which cannot. */
export function keepState({ ids, scopes, sets, sessions, runners, jobs }: State): KeptState {
  const open = [...jobs.values()].filter(({ state }) => state !== 'completed').length
  if (runners.size + sessions.size + open > 0) {
    throw new Error(`GitHub still has ${runners.size} runners, ${sessions.size} sessions and ${open} open jobs`)
  }
  return {
    ids: { ...ids },
    scopes: [...scopes.values()].map(({ kind, name, groups }) => ({ kind, name, groups: [...groups] })),
    scaleSets: [...sets.values()].map(({ id, scope, name, groupId, labels, setting, createdAt, lastSeenAt }) => ({
      ...{ id, name, groupId, labels, setting, createdAt, lastSeenAt },
      scope: scope.id,
    })),
  }
}

export function stateFrom(kept: KeptState): State {
  const state = createState(0)
  Object.assign(state.ids, kept.ids)
  for (const { kind, name, groups } of kept.scopes) {
    const scope = scopeOf(state, kind, name)
    scope.groups.splice(0, scope.groups.length, ...groups)
  }
  for (const { scope: id, ...set } of kept.scaleSets) {
    const scope = state.scopes.get(id)
    if (scope) state.sets.set(set.id, scaleSetFrom({ ...set, scope }))
  }
  return state
}
