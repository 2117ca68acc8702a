// A set that has waiting jobs, and room for their runners, starts them soon. The faults are over by then.
import { idOf } from '../gitea/jobs.ts'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'
import type { Checker } from './checker.ts'
import { freePlaces, podsOf } from './spares.ts'
import { hasEnded } from './unfinished.ts'

/** Dayfly itself waits a minute at most, for a refused template or after failed starts. A start that fails takes two more. */
const waitMsMax = 4 * 60_000

export const waitingJobs: Checker = {
  name: 'waiting-jobs',
  follow: (world) => {
    const since = new Map<SetSpec, number>()
    return () =>
      world.sets.flatMap((set) => {
        const short = shortOf(world, set)
        if (short === undefined) {
          since.delete(set)
          return []
        }
        const at = since.get(set) ?? world.clock.now()
        const isLate = world.clock.now() - at >= waitMsMax
        // Each time is said once.
        since.set(set, isLate ? Number.POSITIVE_INFINITY : at)
        return isLate ? [`${set.name} has room, and ${short}`] : []
      })
  },
}

/** Returns what the set lacks, or undefined. A strategy by the share of busy runners does not follow the jobs. */
function shortOf(world: World, set: SetSpec): string | undefined {
  if (set.percentage) return undefined
  const jobs = [...world.openJobs]
    .flatMap((id) => jobOf(world, id) ?? [])
    .filter(({ labels }) => isOnlyFor(labels, set, world.sets))
  const waiting = jobs.filter(({ waits }) => waits).length
  const pods = podsOf(world, set)
  const living = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !hasEnded(pod)).length
  const hasRoom = pods.length < set.max && freePlaces(world, set) > 0
  if (waiting === 0 || living >= jobs.length || !hasRoom) return undefined
  return `${waiting} of its ${jobs.length} jobs wait with ${living} runners`
}

type Job = { readonly labels: readonly string[]; readonly waits: boolean }

/** Returns an open job; undefined after its end. */
function jobOf({ github, bitbucket, gitea }: World, id: string): Job | undefined {
  const job = github.control.job(id)
  if (job) return job.state === 'completed' ? undefined : { labels: job.spec.labels, waits: job.state !== 'running' }
  const step = bitbucket.control.step(id)
  if (step)
    return step.state === 'COMPLETED' ? undefined : { labels: step.spec.labels, waits: step.state !== 'IN_PROGRESS' }
  const task = gitea.control.job(idOf(id) ?? '')
  if (task?.status !== 'waiting' && task?.status !== 'running') return undefined
  return { labels: task.labels, waits: task.status === 'waiting' }
}

/** Whether no other set may have the job. If two may, the other one with all its places taken explains why it waits. */
function isOnlyFor(labels: readonly string[], set: SetSpec, sets: readonly SetSpec[]): boolean {
  return canHave(set, labels) && !sets.some((other) => other !== set && canHave(other, labels))
}

/** Leaves out a job without labels, which every set of Gitea may have. */
function canHave(set: SetSpec, labels: readonly string[]): boolean {
  return labels.length > 0 && labels.every((label) => set.labels.includes(label))
}
