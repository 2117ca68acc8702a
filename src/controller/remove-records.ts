// Removes what a deleted set has at the forge. If the forge fails at that moment, only this process still knows of the records.
import type { ForgeAccess } from '../forge/forge.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { ForgeState } from '../model/forge-event.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { failureOfForge } from './act/unsuccessful.ts'
import { forgeSet } from './connection.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'

export type Records = {
  readonly set: RunnerSet
  /** The access of the last connection. The objects that hold it may be deleted with the set. */
  readonly access: ForgeAccess
  readonly state: ForgeState
}

export type RemovalDeps = Pick<ControllerOptions, 'clock' | 'random' | 'forgeFor'> & { readonly journal: Journal }

const retry = { baseMs: 5_000, capMs: 300_000 }
/** After an hour the operator removes what is left with `dayfly sweep`. */
const patienceMs = 3_600_000

/** Tries until the forge has removed the records, at most for an hour. The signal ends it early: the records then stay. Never rejects. */
export async function removeRecords(deps: RemovalDeps, records: Records, signal: AbortSignal): Promise<void> {
  const { clock, random, journal } = deps
  const { namespace, name: set } = records.set
  const end = clock.now() + patienceMs
  for (let attempt = 1; clock.now() < end; attempt++) {
    await clock.sleep(backoffMs(retry, attempt, random), signal).catch(() => {})
    if (signal.aborted) break
    try {
      await removeOnce(deps, records, signal)
      journal.write({ kind: 'records-removed', namespace, set })
      return
    } catch (error) {
      if (!signal.aborted) journal.write({ kind: 'forge-failed', namespace, set, failure: failureOfForge(error) })
    }
  }
  journal.write({ kind: 'records-left', namespace, set })
}

async function removeOnce({ forgeFor }: RemovalDeps, { set, access, state }: Records, signal: AbortSignal) {
  const remembered = Object.keys(state).length > 0 ? state : undefined
  const link = await forgeFor(set.source, access).open(forgeSet(set), remembered, signal)
  await link.close('remove')
}
