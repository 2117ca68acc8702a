// What the parts of one look at a Job share.
import type { Clock } from '../../../lib/clock.ts'
import type { Profile } from '../../api/api.ts'
import type { Registry } from '../../api/registry.ts'
import type { EventRecorder } from '../../event-recorder.ts'
import type { Backoff } from './backoff.ts'

export type JobContext = {
  readonly registry: Registry
  readonly clock: Clock
  readonly profile: Profile
  readonly events: EventRecorder
  /** Kept between looks, in memory alone, as in Kubernetes. */
  readonly backoff: Backoff
  /** Look at the Job again this much later, in milliseconds. */
  readonly again: (ms: number) => void
}
