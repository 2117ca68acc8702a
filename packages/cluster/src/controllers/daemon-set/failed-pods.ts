// The back-off before a failed pod of a DaemonSet is replaced: none for the first failure on a node, then 1 s, doubled by each
// further failure, at most 15 minutes.
import type { Instant } from '@dayfly/kit/clock'

const firstMs = 1_000
const longestMs = 15 * 60_000

export interface FailedPods {
  /** Returns the milliseconds until a failed pod on the node may be replaced. 0 counts as a replacement now. */
  waitMs(node: string, now: Instant): number
}

export function createFailedPods(): FailedPods {
  const failures = new Map<string, { readonly at: Instant; readonly ms: number }>()
  const waitMs = (node: string, now: Instant): number => {
    const last = failures.get(node)
    if (last !== undefined && now - last.at < last.ms) return last.at + last.ms - now
    const isForgotten = last === undefined || now - last.at > 2 * longestMs
    failures.set(node, { at: now, ms: isForgotten ? firstMs : Math.min(longestMs, 2 * last.ms) })
    return 0
  }
  return { waitMs }
}
