// The page's copy of what the server shows. Changes update its tables in place, so that their cost follows what changed.
import type { Instant } from '@dayfly/kit/clock'
import type { Mark } from '../model/life.ts'
import { type Changes, type Entities, type EntityKind, entityKinds, type Snapshot } from '../model/page-state.ts'
import type { Head } from '../model/set-now.ts'

/** The entities of each kind, by id. */
export type Tables = { readonly [Kind in EntityKind]: Map<string, Entities[Kind]> }

export type PageState = {
  /** Null before the first snapshot. */
  version: number | null
  at: Instant
  head: Head | null
  marks: readonly Mark[]
  readonly tables: Tables
}

export type Touched = EntityKind | 'head' | 'marks'

export function emptyState(): PageState {
  return {
    version: null,
    at: 0,
    head: null,
    marks: [],
    tables: { sets: new Map(), lives: new Map(), jobs: new Map(), failures: new Map() },
  }
}

export function applySnapshot(state: PageState, snapshot: Snapshot): readonly Touched[] {
  state.version = snapshot.version
  state.at = snapshot.at
  state.head = snapshot.head
  state.marks = snapshot.marks
  for (const kind of entityKinds) {
    state.tables[kind].clear()
    put(state.tables, kind, snapshot[kind])
  }
  return [...entityKinds, 'head', 'marks']
}

/** Returns what changed. After a reconnection, the server may send a version that the page already has: nothing changes then. */
export function applyChanges(state: PageState, changes: Changes): readonly Touched[] {
  if (state.version === null || changes.version <= state.version) return []
  state.version = changes.version
  state.at = changes.at
  const touched: Touched[] = []
  if (changes.head) {
    state.head = changes.head
    touched.push('head')
  }
  if (changes.marks) {
    state.marks = changes.marks
    touched.push('marks')
  }
  for (const kind of entityKinds) {
    const entities = changes.put[kind] ?? []
    const gone = changes.gone[kind] ?? []
    if (entities.length + gone.length === 0) continue
    put(state.tables, kind, entities)
    for (const id of gone) state.tables[kind].delete(id)
    touched.push(kind)
  }
  return touched
}

function put<Kind extends EntityKind>(tables: Tables, kind: Kind, entities: readonly Entities[Kind][]): void {
  const table: Map<string, Entities[Kind]> = tables[kind]
  for (const entity of entities) table.set(entity.id, entity)
}
