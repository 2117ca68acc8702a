// The jobs at Gitea: which labels they ask for, and those that arrive where they matter most.
import type { GiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'
import { giteaRepository, giteaRunner, idOf, keyOf } from './jobs.ts'

type GiteaControl = GiteaEmulator['control']

/** The most removals after the faults in whose moment jobs arrive. */
const lateMax = 2
/** The jobs that are cancelled after the faults. */
const cancelledJobs = 3

/** Queues the jobs. Returns the keys of those that have not ended: a job cancels the ones that wait in its group. */
export function queueAtGitea(
  { control }: GiteaEmulator,
  labels: readonly string[],
  jobs: readonly { readonly name: string; readonly durationMs: number }[],
  random: Random,
): readonly string[] {
  const specs = jobs.map((job) => ({
    ...job,
    repository: giteaRepository,
    labels: labelsOf(labels, random),
    group: random() < 0.1 ? 'deploy' : undefined,
  }))
  const ids = control.queueJobs(specs)
  if (ids.length > 1 && random() < 0.5) cancelAfter(control, new Set(ids), randomInteger(random, 1, 3))
  return ids.flatMap((id) => (control.job(id)?.status === 'cancelled' ? [] : [keyOf(id)]))
}

/** Most jobs ask for all labels of a set. The others ask for one, or for none: any runner serves those. */
function labelsOf(labels: readonly string[], random: Random): readonly string[] {
  const share = random()
  if (share < 0.05) return []
  return share < 0.25 ? labels.slice(0, 1) : labels
}

/** Cancels the other jobs when some have started, as a matrix that fails fast: the runners that start for them are too many. */
function cancelAfter(control: GiteaControl, ids: ReadonlySet<string>, starts: number): void {
  let started = 0
  const stop = control.onJob(({ kind, id }) => {
    if (kind !== 'started' || !ids.has(id) || ++started < starts) return
    stop()
    // The emulator is in the middle of this job's start.
    queueMicrotask(() => {
      for (const other of ids) if (control.job(other)?.status === 'waiting') control.cancelJob(other)
    })
  })
}

/** Adds jobs in the moment of a cordon, and once after the faults. @param add queues jobs for a set, and returns their keys */
export function startGiteaWorkload(
  world: World,
  random: Random,
  add: (set: SetSpec, count: number) => readonly string[],
): void {
  const set = world.sets.find(({ forge }) => forge === 'gitea')
  if (!set) return
  const { control } = world.gitea
  if (random() < 0.3) queueUnserved(control, randomInteger(random, 3, 8))
  let late = lateMax
  world.observers.tried.add((_identity, server, { method, path }) => {
    const id = server === 'forge' && method === 'PATCH' ? giteaRunner.exec(path)?.[1] : undefined
    if (id === undefined || !isIdle(control.runner(id)) || random() < 0.5) return
    if (world.climate.isFair && late-- <= 0) return
    // A job without labels for each idle runner: one of them reaches the runner in question.
    add({ ...set, labels: [] }, control.runners().filter(isIdle).length)
  })
  const stop = control.onJob(({ kind }) => {
    if (kind !== 'finished' || !world.climate.isFair || world.openJobs.size > 0) return
    stop()
    // The emulator is in the middle of a job's end.
    queueMicrotask(() => {
      const ids = add(set, set.min + 1 + cancelledJobs).flatMap((key) => idOf(key) ?? [])
      // The first runners were idle, and the next one shows that others start for the rest: they are too many, while nothing fails.
      cancelAfter(control, new Set(ids), set.min + 1)
    })
  })
}

/** No set has the label of these jobs: they wait forever, before those of the sets. */
function queueUnserved(control: GiteaControl, count: number): void {
  const job = { repository: giteaRepository, name: 'unserved', labels: ['windows'] }
  control.queueJobs(Array.from({ length: count }, () => job))
}

function isIdle(runner: ReturnType<GiteaControl['runner']>): boolean {
  return runner?.status === 'idle' && runner.job === undefined
}
