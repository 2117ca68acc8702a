// The plan of a long run: its jobs, its runners, and its sets.
import type { SetSpec } from '../sets.ts'

export type Plan = {
  readonly seed: number
  readonly jobs: number
  readonly sets: readonly OrganizationSet[]
  /** The cost is reported once for this many finished jobs. */
  readonly lap: number
}

/** A set with an organization of its own: GitHub registers at most 1,500 runners of one organization in five minutes. */
export type OrganizationSet = SetSpec & { readonly organization: string }

const runnersPerSet = 500
const lapMax = 100_000

/** @param runners the most runners at the same time */
export function planOf(seed: number, jobs: number, runners: number): Plan {
  const count = Math.ceil(runners / runnersPerSet)
  const sets = Array.from({ length: count }, (_, index): OrganizationSet => {
    const max = Math.floor(runners / count) + (index < runners % count ? 1 : 0)
    const number = String(index + 1)
    const place = { namespace: `team-${number}`, name: `linux-${number}`, organization: `acme-${number}` }
    return { ...place, forge: 'github', label: `runner-${number}`, min: 0, max }
  })
  return { seed, jobs, sets, lap: jobs >= 2 * lapMax ? lapMax : Math.ceil(jobs / 5) }
}
