// Timestamps in Kubernetes' format.
import type { Instant } from '../../lib/clock.ts'

/** RFC 3339 in UTC with whole seconds, as `metadata.creationTimestamp` has it. */
export function timestamp(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}
