// The cause on the closed list that a failure of a runner stands for.
import type { Failure } from '../../model/failure.ts'
import type { BreakCause } from '../../model/rerun.ts'
import type { ContainerEnd } from '../../model/runner.ts'

/** Returns undefined for a failure that is not on the list. @param end undefined if the pod is gone without one */
export function breakCauseOf({ reason }: Failure, end: ContainerEnd | undefined): BreakCause | undefined {
  switch (reason) {
    case 'evicted':
    case 'preempted':
    case 'node-lost':
    case 'node-shutdown':
      return reason
    case 'out-of-memory':
      return end?.killedHelper !== undefined && end.reason !== 'OOMKilled'
        ? 'helper-out-of-memory'
        : 'runner-out-of-memory'
    // The runner has started, so the image is another container's.
    case 'image-missing':
    case 'image-slow':
    case 'image-invalid':
      return 'helper-image'
    default:
      return undefined
  }
}
