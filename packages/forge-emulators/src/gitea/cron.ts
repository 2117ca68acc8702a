// The cron tasks that end forgotten work. Each runs at its own times, as long as there is something to end.
import { type Emulation, stamp } from './emulation.ts'
import { reportedAt } from './runners.ts'
import { abandonJob, finishTask } from './runs.ts'
import type { Task } from './state.ts'

export const cronTasks = [
  'stop_zombie_tasks',
  'stop_endless_tasks',
  'cancel_abandoned_jobs',
  'cleanup_actions',
] as const

export type CronTask = (typeof cronTasks)[number]

const minuteMs = 60_000

/** How often each task runs. `cleanup_actions` only removes what the end of a task has already removed, so it has no timer. */
const intervals: readonly (readonly [task: CronTask, ms: number])[] = [
  ['stop_zombie_tasks', 5 * minuteMs],
  ['stop_endless_tasks', 30 * minuteMs],
  ['cancel_abandoned_jobs', 360 * minuteMs],
]

/** Sets the timers of the tasks that may have something to end. */
export function armCron(emulation: Emulation): void {
  const { clock, deadlines, state } = emulation
  for (const [task, ms] of intervals) {
    const name = `cron:${task}`
    if (deadlines.has(name) || !hasWork(emulation, task)) continue
    const sinceLast = (clock.now() - state.startedAt) % ms
    deadlines.set(name, ms - sinceLast, () => runCron(emulation, task))
  }
}

function hasWork({ state: { running, site } }: Emulation, task: CronTask): boolean {
  if (task === 'cancel_abandoned_jobs') return site.jobs.waiting.length + site.jobs.blocked.length > 0
  return running.size > 0
}

export function runCron(emulation: Emulation, task: CronTask): void {
  const { state, knobs } = emulation
  const now = stamp(emulation)
  if (task === 'stop_zombie_tasks') stopTasks(emulation, (each) => reportedAt(emulation, each) < now - knobs.zombieMs)
  if (task === 'stop_endless_tasks') {
    stopTasks(emulation, (each) => each.status === 'running' && each.startedAt < now - knobs.endlessMs)
  }
  if (task !== 'cancel_abandoned_jobs') return
  const open = [...state.site.jobs.waiting, ...state.site.jobs.blocked]
  for (const job of open) if (job.updatedAt < now - knobs.abandonedMs) abandonJob(emulation, job)
}

function stopTasks(emulation: Emulation, isDue: (task: Task) => boolean): void {
  for (const task of [...emulation.state.running]) {
    if (isDue(task)) finishTask(emulation, task, 'failure', stamp(emulation))
  }
}
