// Workflow jobs at the emulated forge for runners in real pods, and what became of them.
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { Job } from '@dayfly/forge-emulators/github/state'
import type { OutsideForge } from './outside-forge.ts'

/** Queues jobs of one step each. Returns their ids. */
export function queue({ control }: OutsideForge, set: string, count: number, script = 'hostname'): readonly string[] {
  const specs = Array.from({ length: count }, (_, index) => {
    const name = `job ${index + 1}`
    return { labels: [set], name, message: scriptJob(name, [{ run: script }]) }
  })
  return control.queueJobs(specs).map(({ id }) => id)
}

export function jobsOf({ control }: OutsideForge, ids: readonly string[]): readonly Readonly<Job>[] {
  return ids.flatMap((id) => control.job(id) ?? [])
}

/** Counts jobs by their fate, for example `{ 'succeeded in 1 run': 200 }`. */
export function fates(forge: OutsideForge, ids: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { state, result, runs } of jobsOf(forge, ids)) {
    const fate = `${result ?? state} in ${runs} run${runs === 1 ? '' : 's'}`
    counts[fate] = (counts[fate] ?? 0) + 1
  }
  return counts
}
