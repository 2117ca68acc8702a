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
    const early = cache.debts.get(name)?.early === true && (await stillListed(context, registration))
    const outcome = await link()?.deregister(registration)
    if (outcome === 'removed' || outcome === 'absent') {
      cache.deregistered(name, clock.now())
      if (early) toldEarly(context, name)
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

/** A forge may answer `removed` also for what it had dropped after a job: only its list tells that the runner never had one. */
async function stillListed({ link }: ActContext, { id, name }: Registration): Promise<boolean> {
  const listed = (await link()?.registrations()) ?? []
  return listed.some((registration) => registration.name === name && registration.id === id)
}

function toldEarly({ cache, clock, journal }: ActContext, runner: string): void {
  const failure = { reason: 'runner-failed', message: 'it ended without having had a job' } as const
  cache.failedToStart(failure, runner, clock.now())
  journal({ kind: 'runner-failed', namespace: cache.set.namespace, set: cache.set.name, runner, failure })
}
