// Removes what a deleted set has at the forge. If the forge fails at that moment, only this process still knows of the records.
import { backoffMs } from '../lib/backoff.ts'
import { failureOfForge } from './act/unsuccessful.ts'
import { openLink, type Records } from './connection.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'

export type RemovalDeps = Pick<ControllerOptions, 'clock' | 'random' | 'forgeFor'> & { readonly journal: Journal }

const retry = { baseMs: 5_000, capMs: 300_000 }
/** After an hour the operator removes what is left with `dayfly sweep`. */
const patienceMs = 3_600_000

/**
 * Tries until the forge has removed the records, at most for an hour. The access must be known, because the objects that
 * hold it may be deleted with the set. The signal ends it early: the records then stay. Never rejects.
 */
export async function removeRecords(deps: RemovalDeps, records: Records, signal: AbortSignal): Promise<void> {
  const { clock, random, forgeFor, journal } = deps
  const { namespace, name: set } = records.set
  const end = clock.now() + patienceMs
  for (let attempt = 1; clock.now() < end; attempt++) {
    await clock.sleep(backoffMs(retry, attempt, random), signal).catch(() => {})
    if (signal.aborted) break
    try {
      const link = await openLink(forgeFor, records, signal)
      await link.close('remove')
      journal.write({ kind: 'records-removed', namespace, set })
      return
    } catch (error) {
      if (!signal.aborted) journal.write({ kind: 'forge-failed', namespace, set, failure: failureOfForge(error) })
    }
  }
  journal.write({ kind: 'records-left', namespace, set })
}
