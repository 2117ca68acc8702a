// The limit of requests of the Job controller's client. A controller at its limit works later than the pods end.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'

type PaceOptions = {
  readonly registry: Registry
  readonly clock: Clock
  readonly requestsPerSecond?: number | undefined
}

type Paced = {
  /** The registry. Each of its writes uses up the time of one request. */
  readonly registry: Registry
  /** Returns the milliseconds until the next request may be sent; 0 or less if it may be sent now. */
  readonly waitMs: () => number
}

/** Only writes are requests: a controller reads from its cache. */
export function paced({ registry, clock, requestsPerSecond }: PaceOptions): Paced {
  if (requestsPerSecond === undefined) return { registry, waitMs: () => 0 }
  let freeAt: Instant = 0
  const spending =
    <Arguments extends readonly unknown[], Result>(verb: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      freeAt = Math.max(freeAt, clock.now()) + 1_000 / requestsPerSecond
      return verb(...given)
    }
  const { create, update, patch, delete: remove } = registry
  const writing = {
    create: spending(create),
    update: spending(update),
    patch: spending(patch),
    delete: spending(remove),
  }
  return { registry: { ...registry, ...writing }, waitMs: () => Math.ceil(freeAt - clock.now()) }
}
