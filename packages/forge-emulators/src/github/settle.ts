// Runs after every change: assigns queued jobs to scale sets and assigned jobs to idle runners, then wakes held polls.
// Changes between two calls share one envelope.
import type { Emulation } from './emulation.ts'
import { assignJob, offerJob, takes } from './jobs.ts'
import { limitIdleRunners } from './outages.ts'
import { getsJobs } from './runner-versions.ts'
import { reserveRunner } from './runners.ts'
import type { ScaleSet } from './state.ts'
import { assignedTo } from './statistics.ts'

export function settle(emulation: Emulation): void {
  const sets = [...emulation.state.sets.values()]
  if (emulation.state.queue.size > 0 && emulation.knobs.outage !== 'fails') match(emulation, sets)
  limitIdleRunners(emulation)
  for (const set of sets) {
    if (emulation.knobs.outage !== 'assigns-nothing') reserve(emulation, set)
    if (set.pending.length > 0) set.session?.wake?.()
  }
}

/** Assigns queued jobs in their order to sets with a session. In legacy mode it offers them instead. */
function match(emulation: Emulation, sets: readonly ScaleSet[]): void {
  const legacy = emulation.knobs.mode === 'legacy'
  const open = legacy ? (set: ScaleSet) => set.session !== undefined : hasRoom
  const listening = new Set(sets.filter(open))
  if (listening.size === 0) return
  const scopes = new Set([...listening].map(({ scope }) => scope.id))
  for (const job of emulation.state.queue) {
    if (listening.size === 0) return
    // Most queued jobs wait because the sets of their scope are full.
    const { scope } = job.spec
    if (job.excluded || (scope !== undefined && !scopes.has(scope))) continue
    const set = [...listening].find((candidate) => takes(candidate, job))
    if (!set) continue
    if (legacy) offerJob(emulation, job, set)
    else assignJob(emulation, job, set)
    if (!open(set)) listening.delete(set)
  }
}

function hasRoom(set: ScaleSet): boolean {
  return assignedTo(set) < (set.session?.capacity ?? 0)
}

/** Gives waiting jobs to idle runners. A runner whose poll has broken off gets none, because it may be dead; nor does one of an ended version. */
function reserve(emulation: Emulation, set: ScaleSet): void {
  if (set.waiting.size === 0) return
  for (const runner of set.idle) {
    const [job] = set.waiting
    if (!job) return
    if (runner.listening && getsJobs(emulation, runner)) reserveRunner(job, runner, set)
  }
}
