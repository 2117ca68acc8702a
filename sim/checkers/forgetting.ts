// Forgets what checkers remember, some time after it is over, so that a long run needs no more memory than a short one.
import type { Clock, Instant } from '@dayfly/kit/clock'

export interface Forgetting {
  /** Calls `forget` some time after now, when another one is added. */
  over(forget: () => void): void
}

const everyMs = 60_000

export function createForgetting(clock: Pick<Clock, 'now'>, afterMs: number): Forgetting {
  let waiting: { readonly at: Instant; readonly forget: () => void }[] = []
  let lookAt = clock.now() + afterMs
  return {
    over: (forget) => {
      const now = clock.now()
      waiting.push({ at: now + afterMs, forget })
      if (now < lookAt) return
      lookAt = now + everyMs
      for (const one of waiting) if (one.at <= now) one.forget()
      waiting = waiting.filter(({ at }) => at > now)
    },
  }
}
