// Removes a registration that has no living runner. GitHub calls one busy for 10 to 15 minutes after its runner died: nothing waits for that.
import { backoffMs } from '../../lib/backoff.ts'
import type { Registration } from '../../model/runner.ts'
import type { ActContext } from './context.ts'
import { forgeFailure } from './failures.ts'

export async function dropRegistration(
  context: ActContext,
  registration: Registration,
  retryMs: number,
): Promise<void> {
  const { cache, clock, journal, link, random } = context
  const { namespace, name: set } = cache.set
  const { name } = registration
  try {
    const outcome = await link()?.deregister(registration)
    if (outcome === 'removed' || outcome === 'absent') {
      const early = outcome === 'removed' && cache.debts.get(name)?.early === true
      cache.debts.clear(name)
      if (early) {
        const failure = { reason: 'runner-failed', message: 'it ended without having had a job' } as const
        cache.failedToStart(failure, name, clock.now())
        journal({ kind: 'runner-failed', namespace, set, runner: name, failure })
      }
      journal({ kind: 'registration-dropped', namespace, set, name })
      return
    }
    const failure = { reason: 'deregistration-refused', message: 'the forge says it is busy' } as const
    if (outcome === 'busy') journal({ kind: 'registration-kept', namespace, set, name, failure })
  } catch (error) {
    journal({ kind: 'registration-kept', namespace, set, name, failure: forgeFailure(error) })
  }
  cache.debts.postpone(name, clock.now() + backoffMs({ baseMs: retryMs, capMs: retryMs }, 1, random) + retryMs / 2)
}
