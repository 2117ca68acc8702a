// Removes what deleted sets have at their forge. After its set is gone, only the processes of this controller still know of a record.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { failureOfForge } from './act/unsuccessful.ts'
import { openLink, type Records } from './connection.ts'
import { MissingAccess, readAccess } from './credential.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'

type Remembered = { readonly records: Records; readonly since: Instant }

const retry = { baseMs: 5_000, capMs: 300_000 }
/** After an hour the operator removes what is left with `dayfly sweep`. */
const patienceMs = 3_600_000

export class Removals {
  readonly #options: ControllerOptions
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #until = new AbortController()
  readonly #underway = new Set<Promise<void>>()
  /** The records of sets that were deleted while this process did not lead. */
  #remembered: readonly Remembered[] = []

  constructor(options: ControllerOptions, journal: Journal) {
    this.#options = options
    this.#journal = journal
    this.#clock = options.clock
  }

  /** Tries until the forge has removed the records, at most for an hour. */
  begin(records: Records): void {
    this.#begin({ records, since: this.#clock.now() })
  }

  /** Keeps the records for an hour, in case this process leads by then. To remove what is gone already does no harm. */
  remember(records: Records): void {
    this.#remembered = [...this.#recent(), { records, since: this.#clock.now() }]
  }

  /** This process leads: it begins with what it has remembered. */
  lead(): void {
    const recent = this.#recent()
    this.#remembered = []
    for (const each of recent) this.#begin(each)
  }

  /** Ends the attempts. The records then stay. */
  async stop(): Promise<void> {
    this.#until.abort()
    await Promise.all(this.#underway)
  }

  #recent(): readonly Remembered[] {
    return this.#remembered.filter(({ since }) => this.#clock.now() < since + patienceMs)
  }

  #begin(remembered: Remembered): void {
    if (!mayExist(remembered.records)) return
    const removal = this.#remove(remembered).finally(() => this.#underway.delete(removal))
    this.#underway.add(removal)
  }

  async #remove({ records, since }: Remembered): Promise<void> {
    const { signal } = this.#until
    const { namespace, name: set } = records.set
    for (let attempt = 1; this.#clock.now() < since + patienceMs; attempt++) {
      await this.#clock.sleep(backoffMs(retry, attempt, this.#options.random), signal).catch(() => {})
      if (signal.aborted) break
      try {
        await this.#attempt(records, signal)
        this.#journal.write({ kind: 'records-removed', namespace, set })
        return
      } catch (error) {
        if (signal.aborted) break
        // The forge has a record of this name, and it is not ours.
        if (error instanceof PortError && error.kind === 'conflict') return
        const isAccessMissing = error instanceof MissingAccess
        const failure = isAccessMissing ? error.failure : failureOfForge(error)
        this.#journal.write({ kind: 'forge-failed', namespace, set, failure })
        // Nobody restores the credential of a deleted set.
        if (isAccessMissing) break
      }
    }
    this.#journal.write({ kind: 'records-left', namespace, set })
  }

  /** The access in memory comes first, because the objects that hold it may be deleted with the set. */
  async #attempt(records: Records, signal: AbortSignal): Promise<void> {
    const { forgeFor, kubernetes } = this.#options
    const access = records.access ?? (await readAccess(kubernetes, records.set, signal))
    const link = await openLink(forgeFor, { ...records, access }, signal)
    await link.close('remove')
  }
}

/** A set whose forge finds its records by stored ids has none before an id is stored. */
function mayExist({ set, state }: Records): boolean {
  return forgeTraits[set.source.kind].records === 'by-name' || Object.keys(state).length > 0
}
