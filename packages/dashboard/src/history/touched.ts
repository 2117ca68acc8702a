// Remembers which entities changed since the server asked last, so that it publishes only those.

export type TouchedKind = 'lives' | 'jobs' | 'failures'

/** Ids of entities that are new, changed or removed. */
export type Touched = {
  readonly ids: Readonly<Record<TouchedKind, readonly string[]>>
  /** Nobody asked for so long that the ids were dropped: everything may have changed. */
  readonly all: boolean
}

/** More ids than the history keeps: nobody publishes them one by one. */
const idsMax = 50_000

export class TouchedIds {
  readonly #ids = { lives: new Set<string>(), jobs: new Set<string>(), failures: new Set<string>() }
  #all = false

  add(kind: TouchedKind, id: string): void {
    if (this.#all) return
    this.#ids[kind].add(id)
    if (this.#ids[kind].size > idsMax) this.everything()
  }

  everything(): void {
    this.#all = true
    for (const ids of Object.values(this.#ids)) ids.clear()
  }

  take(): Touched {
    const { lives, jobs, failures } = this.#ids
    const touched = {
      ids: { lives: [...lives], jobs: [...jobs], failures: [...failures] },
      all: this.#all,
    }
    for (const ids of Object.values(this.#ids)) ids.clear()
    this.#all = false
    return touched
  }
}
