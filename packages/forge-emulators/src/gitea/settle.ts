// Runs after every change: idle stub runners learn of jobs that became ready, and the cron tasks get their timers.
import { armCron } from './cron.ts'
import type { Emulation } from './emulation.ts'
import { rouseStub, wakeStub } from './stubs.ts'

export function settle(emulation: Emulation): void {
  const { jobs, runners } = emulation.unsettled
  // A runner that takes a job at once may release others.
  while (jobs.size + runners.size > 0) {
    const [changedJobs, changedRunners] = [[...jobs], [...runners]]
    jobs.clear()
    runners.clear()
    for (const runner of changedRunners) rouseStub(emulation, runner)
    for (const job of changedJobs) wakeStub(emulation, job)
  }
  armCron(emulation)
}
