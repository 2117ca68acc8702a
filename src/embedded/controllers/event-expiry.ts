// Deletes Events an hour after they last occurred, as Kubernetes does.
import type { Clock } from '../../lib/clock.ts'
import { field } from '../api/json.ts'
import type { Registry } from '../api/registry.ts'

const keptMs = 3_600_000
const periodMs = 60_000

/** Starts the expiry of Events. Returns a function that stops it. */
export function startEventExpiry({
  registry,
  clock,
}: {
  readonly registry: Registry
  readonly clock: Clock
}): () => void {
  const sweep = () => {
    for (const event of registry.list('events')) {
      const last = Date.parse(String(field(event, 'lastTimestamp') ?? event.metadata.creationTimestamp))
      if (clock.now() - last < keptMs) continue
      registry.delete('events', event.metadata.namespace, event.metadata.name)
    }
    timer = clock.after(periodMs, sweep)
  }
  let timer = clock.after(periodMs, sweep)
  return () => timer.cancel()
}
