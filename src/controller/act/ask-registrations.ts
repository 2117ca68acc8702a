// Asks the forge for every registration of the set.
import type { ActContext } from './context.ts'
import { forgeFailure } from './failures.ts'

/** How long a failed question waits before the next tick may ask again, in milliseconds. */
const retryMs = 10_000

export async function askRegistrations(context: ActContext): Promise<void> {
  const { cache, clock, journal, link, signal } = context
  const connection = link()
  if (!connection) return
  const askedAt = clock.now()
  try {
    cache.registrationsListed(await connection.registrations(), askedAt)
  } catch (error) {
    if (signal.aborted) return
    const { namespace, name: set } = cache.set
    journal({ kind: 'forge-failed', namespace, set, failure: forgeFailure(error) })
    await clock.sleep(retryMs, signal).catch(() => {})
  }
}
