// Where a job comes from, for labels of metrics and of pods. Each pair is a series in the tool that reads it, so their number is bounded.
import type { NamedJob } from '@dayfly/runner-set/model/forge-event'

export type JobSource = { readonly repository: string; readonly workflow: string }

/** A set has so many pairs of its own. The jobs of all further ones share `otherSources`. */
export const sourcesMax = 50
export const otherSources: JobSource = { repository: 'other', workflow: 'other' }

export function sourceOf({ repository, origin }: NamedJob): JobSource {
  return { repository: repository || 'unknown', workflow: origin?.workflow ?? 'unknown' }
}
