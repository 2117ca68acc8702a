// Waits until a pod's volumes can be made. It retries at the same intervals as the real kubelet. The creation of a missing object ends the wait at once.
import type { Instant } from '@dayfly/kit/clock'
import type { Volume } from '../runtime/runtime.ts'
import type { PodContext } from './context.ts'
import { ConfigError } from './lookup.ts'
import { readVolumes } from './volumes.ts'

export interface Mounting {
  /** Returns the volumes, or undefined if they are not ready yet. The worker is then woken for the next attempt. */
  volumes(): ReadonlyMap<string, Volume> | undefined
  /** Whether an Event has reported a failure. */
  hasReported(): boolean
  stop(): void
}

/** The delay of the first retry, which is the first attempt of a real node. An object that is created within it causes no Event. */
const firstRetryMs = 200
const backoffMs = { first: 500, longest: 122_000 }

export function mounting(context: PodContext): Mounting {
  let volumes: ReadonlyMap<string, Volume> | undefined
  let tries = 0
  let reports = 0
  let nextTry: Instant = 0
  let stopWaiting = () => {}
  /** A missing object prevents the volumes, and has not arrived since the last attempt. */
  let isMissing = false
  const wait = (error: ConfigError) => {
    const now = context.clock.now()
    if (now >= nextTry) {
      if (tries > 0 || !error.awaited) {
        context.events.record('Warning', 'FailedMount', error.message)
        reports++
      }
      nextTry = now + (tries === 0 ? firstRetryMs : Math.min(backoffMs.longest, backoffMs.first * 2 ** (tries - 1)))
      tries++
    }
    context.wakeAt(nextTry)
    stopWaiting()
    isMissing = error.awaited !== undefined
    if (!error.awaited) return
    stopWaiting = context.awaitObject(context.pod().metadata.namespace, error.awaited, () => {
      isMissing = false
      context.wake()
    })
  }
  return {
    volumes: () => {
      if (volumes) return volumes
      if (isMissing && context.clock.now() < nextTry) {
        context.wakeAt(nextTry)
        return undefined
      }
      try {
        volumes = readVolumes(context, context.pod())
        stopWaiting()
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        wait(error)
      }
      return volumes
    },
    hasReported: () => reports > 0,
    stop: () => stopWaiting(),
  }
}
