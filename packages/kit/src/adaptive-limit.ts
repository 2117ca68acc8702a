// A limit on concurrent calls to one server whose width follows the server's answers (adaptive-width.ts).
import { initialWidth, type WidthPolicy, widthAfter } from './adaptive-width.ts'
import type { Clock } from './clock.ts'

/** Runs a call when it is its turn. The others wait in order, behind those that go `first`. The call reports with `refused` that the server asked for fewer. */
export type AdaptiveLimit = <T>(kind: string, call: (refused: () => void) => Promise<T>, first?: boolean) => Promise<T>

export function adaptiveLimit(policy: WidthPolicy, clock: Clock): AdaptiveLimit {
  let width = initialWidth(policy)
  let running = 0
  const urgent: (() => void)[] = []
  const waiting: (() => void)[] = []
  const admit = () => {
    while (urgent.length + waiting.length > 0 && running < Math.floor(width.calls)) {
      running++
      const next = urgent.shift() ?? waiting.shift()
      next?.()
    }
  }
  return async (kind, call, first = false) => {
    await new Promise<void>((resolve) => {
      if (first) urgent.push(resolve)
      else waiting.push(resolve)
      admit()
    })
    const startedAt = clock.now()
    let refused = false
    try {
      return await call(() => {
        refused = true
      })
    } finally {
      running--
      const full = urgent.length + waiting.length > 0
      width = widthAfter(width, { kind, startedAt, endedAt: clock.now(), refused, full }, policy)
      admit()
    }
  }
}
