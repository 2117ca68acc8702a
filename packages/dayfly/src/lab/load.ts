// The load of the incidents on the embedded cluster.
import type { Load } from './incident.ts'

/** A provider's threshold for finished pods, in proportion to the load. */
export const embeddedLoad: Load = { burst: 40, workMs: 90_000, threshold: 6 }
