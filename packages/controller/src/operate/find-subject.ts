// Finds the thing that an operator asks about: a set, a runner that lives or is gone, or a job that a set remembers.
import type { UnservedJob } from '@dayfly/runner-set/model/forge-event'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { type EventView, readEvents } from './events.ts'
import { type RunnerPod, readRunnerPod } from './pods.ts'
import { type Cluster, type Known, orUnknown } from './read.ts'
import type { JobView, SetView } from './set-view.ts'

export type SubjectKind = 'set' | 'runner' | 'job'

export type Subject =
  | { readonly is: 'set'; readonly view: SetView }
  | {
      readonly is: 'runner'
      readonly name: string
      readonly view: SetView
      /** Undefined for a runner that is gone. */
      readonly pod: RunnerPod | undefined
      readonly job: JobView | undefined
      readonly events: Known<readonly EventView[]>
      /** The operator asked for the job. */
      readonly byJob: boolean
    }
  /** A job that waits, and that no set can have. `view` is the set that shows it. */
  | { readonly is: 'unserved'; readonly view: SetView; readonly job: UnservedJob }

/** `sets`: every set where the command looks. Returns all matches, so that the operator can choose. */
export async function findSubjects(
  cluster: Cluster,
  sets: readonly SetView[],
  asked: { readonly kind: SubjectKind | undefined; readonly name: string },
): Promise<readonly Subject[]> {
  const { kind, name } = asked
  const wants = (one: SubjectKind) => kind === undefined || kind === one
  const found: Subject[] = wants('set')
    ? sets.filter((view) => view.name === name).map((view) => ({ is: 'set', view }))
    : []
  if (found.length === 0 && wants('runner')) found.push(...(await findRunners(cluster, sets, name)))
  if (found.length === 0 && wants('job'))
    found.push(...(await findJobs(cluster, sets, name)), ...unservedJobs(sets, name))
  return found
}

async function findRunners(cluster: Cluster, sets: readonly SetView[], name: string): Promise<readonly Subject[]> {
  const candidates = sets.filter((view) => isNameOf(view, name))
  const read = candidates.map((view) => runnerSubject(cluster, view, name, jobOf(view, name)))
  const subjects = await Promise.all(read)
  return subjects.filter(({ pod, job, events }) => pod || job || (events.known && events.value.length > 0))
}

/** At most this many runners of one job are read. */
const matchesMax = 5

/** A job may have run twice: each of its runners is a match. Without a job of that name, a part of a name is enough. */
async function findJobs(cluster: Cluster, sets: readonly SetView[], name: string): Promise<readonly Subject[]> {
  const all = sets.flatMap((view) => view.jobs.map((job) => ({ view, job })))
  const matches = matching(all, name)
  const read = matches.slice(0, matchesMax).map(({ view, job }) => runnerSubject(cluster, view, job.runner, job))
  return (await Promise.all(read)).map((subject) => ({ ...subject, byJob: true }))
}

function unservedJobs(sets: readonly SetView[], name: string): readonly Subject[] {
  const all = sets.flatMap((view) => (view.unserved?.jobs ?? []).map((job) => ({ view, job })))
  return matching(all, name).map((one) => ({ is: 'unserved', ...one }))
}

/** Returns the jobs with this id, else those of this name, else those with a part of it. */
function matching<One extends { readonly job: Pick<JobView, 'id' | 'name'> }>(
  all: readonly One[],
  name: string,
): readonly One[] {
  const wanted = name.toLowerCase()
  const tests: readonly ((job: Pick<JobView, 'id' | 'name'>) => boolean)[] = [
    ({ id }) => id.toLowerCase() === wanted,
    ({ name: full }) => full.toLowerCase() === wanted,
    ({ name: full }) => full.toLowerCase().includes(wanted),
  ]
  return tests.map((test) => all.filter(({ job }) => test(job))).find((some) => some.length > 0) ?? []
}

async function runnerSubject(cluster: Cluster, view: SetView, name: string, job: JobView | undefined) {
  const at = { namespace: view.namespace, name }
  const [pod, events] = await Promise.all([readRunnerPod(cluster, at), orUnknown(readEvents(cluster, at))])
  return { is: 'runner', name, view, pod, job, events, byJob: false } as const
}

/** The name of a runner begins with a hash of its set's UID. */
function isNameOf(view: SetView, name: string): boolean {
  return name.startsWith(runnerPrefix(view))
}

function jobOf({ jobs }: SetView, runner: string): JobView | undefined {
  return jobs.find((job) => job.runner === runner)
}
