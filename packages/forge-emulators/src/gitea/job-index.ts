// The jobs of a place by their status, in the order of their ids. Every change costs a binary search, not a pass over all jobs.
import type { Job, JobGroup, JobIndex, JobStatus } from './state.ts'

export function emptyIndex(): JobIndex {
  return { waiting: [], blocked: [], running: [], cancelling: [], done: [] }
}

export function groupOf(status: JobStatus): JobGroup {
  switch (status) {
    case 'waiting':
    case 'blocked':
    case 'running':
    case 'cancelling':
      return status
    default:
      return 'done'
  }
}

export function addTo(index: JobIndex, job: Job): void {
  const jobs = index[groupOf(job.status)]
  jobs.splice(positionOf(jobs, job.id), 0, job)
}

/** Removes the job from the group of its present status. */
export function removeFrom(index: JobIndex, job: Job): void {
  const jobs = index[groupOf(job.status)]
  const position = positionOf(jobs, job.id)
  if (jobs[position] === job) jobs.splice(position, 1)
}

/** Returns the jobs with any of the statuses, in the order of their ids. */
export function jobsWith(index: JobIndex, statuses: ReadonlySet<JobStatus>): readonly Job[] {
  const lists = (Object.keys(index) as JobGroup[]).flatMap((group) => {
    const asked = [...statuses].filter((status) => groupOf(status) === group).length
    if (asked === 0 || index[group].length === 0) return []
    const isWhole = group !== 'done' || asked === 4
    return [isWhole ? index[group] : index[group].filter((job) => statuses.has(job.status))]
  })
  const [only = []] = lists
  return lists.length < 2 ? only : lists.flat().sort((one, other) => one.id - other.id)
}

/** Returns where the id is, or where it would be. */
function positionOf(jobs: readonly Job[], id: number): number {
  let [low, high] = [0, jobs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((jobs[middle]?.id ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}
