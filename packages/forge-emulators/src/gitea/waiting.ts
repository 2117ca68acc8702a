// The lines in which the jobs of a repository wait: one for each list of labels. A runner takes the oldest job of its lines.
import type { Job, Place, Repository, Runner, State } from './state.ts'

export function enterLine(job: Job): void {
  const { lines } = job.run.repository
  const { labels } = job.plan
  const key = JSON.stringify(labels)
  const line = lines.get(key) ?? { labels, jobs: [] }
  lines.set(key, line)
  let position = line.jobs.length
  while (position > 0 && isBefore(job, line.jobs[position - 1])) position--
  line.jobs.splice(position, 0, job)
}

export function leaveLine(job: Job): void {
  const { lines } = job.run.repository
  const key = JSON.stringify(job.plan.labels)
  const jobs = lines.get(key)?.jobs ?? []
  const position = jobs.indexOf(job)
  if (position >= 0) jobs.splice(position, 1)
  if (jobs.length === 0) lines.delete(key)
}

/** Returns the oldest waiting job that the runner may take. Labels match exactly and with case. */
export function oldestFor(state: State, runner: Runner): Job | undefined {
  let oldest: Job | undefined
  for (const repository of repositoriesOf(state, runner.place)) {
    for (const { labels, jobs } of repository.lines.values()) {
      const [first] = jobs
      if (first && labels.every((label) => runner.labelSet.has(label)) && (!oldest || isBefore(first, oldest)))
        oldest = first
    }
  }
  return oldest
}

/** A runner of an owner does not serve repositories whose Actions are switched off. One of the repository itself does. */
function repositoriesOf(state: State, place: Place): Iterable<Repository> {
  if (place.kind === 'repository') return [place]
  if (place.kind === 'site') return state.repositories.values()
  return [...place.repositories].filter(({ hasActions }) => hasActions)
}

/** Whether the runner may take jobs of the repository. */
export function serves({ place }: Runner, repository: Repository): boolean {
  if (place.kind === 'site' || place === repository) return true
  return place === repository.owner && repository.hasActions
}

function isBefore(job: Job, other: Job | undefined): boolean {
  if (!other) return true
  return job.updatedAt < other.updatedAt || (job.updatedAt === other.updatedAt && job.id < other.id)
}
