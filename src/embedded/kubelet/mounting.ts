// Waits until a pod's volumes can be made. Its tries follow the real kubelet's, and the arrival of what is missing ends the wait at once.
import type { Instant } from '../../lib/clock.ts'
import type { Volume } from '../runtime/runtime.ts'
import type { PodContext } from './context.ts'
import { Lacking } from './lookup.ts'
import { readVolumes } from './volumes.ts'

export interface Mounting {
  /** The volumes, or undefined while they have to wait; the worker is woken when it is time to ask again. */
  volumes(): ReadonlyMap<string, Volume> | undefined
  /** Whether anybody has been told that something is missing. */
  hasComplained(): boolean
  stop(): void
}

/** The first try of a real node comes this late: what arrives by then costs nothing and nobody hears of it. */
const patienceMs = 200
const backoffMs = { first: 500, longest: 122_000 }

export function mounting(context: PodContext): Mounting {
  let volumes: ReadonlyMap<string, Volume> | undefined
  let tries = 0
  let complaints = 0
  let nextTry: Instant = 0
  let stopWaiting = () => {}
  const wait = (lacking: Lacking) => {
    const now = context.clock.now()
    if (now >= nextTry) {
      if (tries > 0 || !lacking.awaited) {
        context.events.record('Warning', 'FailedMount', lacking.message)
        complaints++
      }
      nextTry = now + (tries === 0 ? patienceMs : Math.min(backoffMs.longest, backoffMs.first * 2 ** (tries - 1)))
      tries++
    }
    context.wakeAt(nextTry)
    stopWaiting()
    if (lacking.awaited)
      stopWaiting = context.awaitObject(context.pod().metadata.namespace, lacking.awaited, context.wake)
  }
  return {
    volumes: () => {
      if (volumes) return volumes
      try {
        volumes = readVolumes(context.registry, context.pod())
        stopWaiting()
      } catch (error) {
        if (!(error instanceof Lacking)) throw error
        wait(error)
      }
      return volumes
    },
    hasComplained: () => complaints > 0,
    stop: () => stopWaiting(),
  }
}
