// Events are kept for an hour, as in Kubernetes.
import type { Clock } from '../../lib/clock.ts'
import { field } from '../api/json.ts'
import type { Registry } from '../api/registry.ts'

const keptMs = 3_600_000
const lookMs = 60_000

/** Starts it; returns how to stop. */
export function startEventExpiry({
  registry,
  clock,
}: {
  readonly registry: Registry
  readonly clock: Clock
}): () => void {
  const look = () => {
    for (const event of registry.list('events')) {
      const last = Date.parse(String(field(event, 'lastTimestamp') ?? event.metadata.creationTimestamp))
      if (clock.now() - last < keptMs) continue
      registry.delete('events', event.metadata.namespace, event.metadata.name)
    }
    timer = clock.after(lookMs, look)
  }
  let timer = clock.after(lookMs, look)
  return () => timer.cancel()
}
