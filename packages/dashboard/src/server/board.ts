// The entities that the page shows now, each with the version of its last change. A viewer has a version and no queue:
// it gets what changed since, and a whole snapshot if that is too long ago.
import type { Instant } from '@dayfly/kit/clock'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { Mark } from '../model/life.ts'
import { type Changes, type Entities, type EntityKind, entityKinds, type Snapshot } from '../model/page-state.ts'
import type { Head } from '../model/set-now.ts'
import type { Scope } from './scope.ts'

/** The rest beside the entities, as one scope sees it. */
export type Frame = { readonly head: Head; readonly marks: readonly Mark[] }

type Change = { readonly version: number; readonly kind: EntityKind; readonly id: string; readonly scoped: string }
type Table = { readonly [Kind in EntityKind]: Map<string, Entities[Kind]> }

export class Board {
  readonly #tables: Table = { sets: new Map(), lives: new Map(), jobs: new Map(), failures: new Map() }
  /** The last changes. They begin at `#start`, so that the front is cut off rarely. */
  #changes: Change[] = []
  #start = 0
  #version: number
  #forgotten: number
  readonly #rememberedMax: number

  /**
   * @param first the first version, from `firstVersion`: a viewer of another process has none of the versions here
   * @param rememberedMax how many changes are remembered. A viewer that is further behind gets a snapshot.
   */
  constructor(first = 0, rememberedMax = 20_000) {
    this.#version = first
    this.#forgotten = first
    this.#rememberedMax = rememberedMax
  }

  get version(): number {
    return this.#version
  }

  get<Kind extends EntityKind>(kind: Kind): ReadonlyMap<string, Entities[Kind]> {
    return this.#tables[kind]
  }

  /** Shows the entity. One that is equal to the shown one changes nothing. */
  put<Kind extends EntityKind>(kind: Kind, entity: Entities[Kind]): void {
    const table = this.#tables[kind]
    const before = table.get(entity.id)
    if (before === entity || (before && JSON.stringify(before) === JSON.stringify(entity))) return
    table.set(entity.id, entity)
    this.#note(kind, entity.id, scopedOf(kind, entity))
  }

  remove(kind: EntityKind, id: string): void {
    const table = this.#tables[kind]
    const before = table.get(id)
    if (!before) return
    table.delete(id)
    this.#note(kind, id, scopedOf(kind, before))
  }

  snapshot(scope: Scope, frame: Frame, at: Instant): Snapshot {
    const seen = <Kind extends EntityKind>(kind: Kind): readonly Entities[Kind][] => {
      const all = [...this.#tables[kind].values()]
      return scope.key === '*' ? all : all.filter((entity) => scope.sees(scopedOf(kind, entity)))
    }
    return {
      ...{ version: this.#version, at, head: frame.head, marks: frame.marks },
      ...{ sets: seen('sets'), lives: seen('lives'), jobs: seen('jobs'), failures: seen('failures') },
    }
  }

  /** Returns what the viewer of version `after` lacks; undefined if that is no longer known, or was never a version here. */
  since(after: number, scope: Scope, at: Instant): Changes | undefined {
    if (after > this.#version || after < this.#forgotten) return undefined
    const put: { [Kind in EntityKind]?: Entities[Kind][] } = {}
    const gone: { [Kind in EntityKind]?: string[] } = {}
    const done = new Set<string>()
    for (let index = this.#changes.length - 1; index >= this.#start; index--) {
      const change = this.#changes[index]
      if (!change || change.version <= after) break
      const key = `${change.kind} ${change.id}`
      if (done.has(key) || !scope.sees(change.scoped)) continue
      done.add(key)
      this.#add(change, put, gone)
    }
    return { version: this.#version, at, put, gone }
  }

  #add(
    { kind, id }: Change,
    put: { [Kind in EntityKind]?: Entities[Kind][] },
    gone: { [Kind in EntityKind]?: string[] },
  ): void {
    const entity = this.#tables[kind].get(id)
    if (!entity) {
      const ids = gone[kind] ?? []
      gone[kind] = ids
      ids.push(id)
      return
    }
    const list = (put[kind] ?? []) as Entities[EntityKind][]
    Object.assign(put, { [kind]: list })
    list.push(entity)
  }

  #note(kind: EntityKind, id: string, scoped: string): void {
    this.#changes.push({ version: ++this.#version, kind, id, scoped })
    if (this.#changes.length - this.#start <= this.#rememberedMax) return
    this.#forgotten = this.#changes[this.#start]?.version ?? this.#version
    this.#start++
    if (this.#start < this.#rememberedMax) return
    this.#changes = this.#changes.slice(this.#start)
    this.#start = 0
  }
}

export function isEmpty({ put, gone, head, marks }: Changes): boolean {
  return !head && !marks && entityKinds.every((kind) => !put[kind]?.length && !gone[kind]?.length)
}

/** Returns the id that begins with the namespace of the entity. */
function scopedOf(kind: EntityKind, entity: Entities[EntityKind]): string {
  return kind === 'sets' ? entity.id : (entity as Entities[Exclude<EntityKind, 'sets'>]).set
}

/** Returns the first version of one process: a random part that two processes do not share, and 32 bits for its changes. */
export function firstVersion(random: Random): number {
  return randomInteger(random, 1, 2 ** 20 - 1) * 2 ** 32
}
