// Lets the time of a cluster go on at the pace of the machine, so that kubectl can look at it.
import type { Clock } from '@dayfly/kit/clock'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'

const stepMs = 50

/** Resolves when the signal aborts. */
export async function followClock(virtual: VirtualClock, clock: Clock, until: AbortSignal): Promise<void> {
  let before = clock.now()
  while (!until.aborted) {
    await clock.sleep(stepMs, until).catch(() => {})
    const now = clock.now()
    await virtual.advance(Math.max(0, now - before))
    before = now
  }
}
