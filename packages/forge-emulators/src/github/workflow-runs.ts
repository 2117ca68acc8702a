// Runs and their attempts: what is over, what runs again, and what GitHub's REST API shows of a job
// (https://docs.github.com/en/rest/actions/workflow-runs, https://docs.github.com/en/rest/actions/workflow-jobs).
import { hashText } from '@dayfly/kit/hash'
import type { Emulation } from './emulation.ts'
import { completeJob, queueJob } from './jobs.ts'
import type { Job } from './state.ts'

/** Returns the jobs of the latest attempt: those that no later one runs again. */
export function latestJobs({ state }: Emulation, runId: number): readonly Job[] {
  const all = [...(state.runs.get(runId) ?? [])]
  const repeated = new Set(all.map(({ repeats }) => repeats))
  return all.filter(({ id }) => !repeated.has(id))
}

export function attemptOf(jobs: readonly Job[]): number {
  return Math.max(1, ...jobs.map(({ runAttempt }) => runAttempt))
}

export function isRunning(jobs: readonly Job[]): boolean {
  return jobs.some(({ state }) => state !== 'completed')
}

/** Runs jobs of a run again that is over. */
export function repeatJobs(emulation: Emulation, jobs: readonly Job[]): void {
  for (const job of jobs) {
    const runAttempt =
      attemptOf(latestJobs(emulation, job.runId)) + (isRunning(latestJobs(emulation, job.runId)) ? 0 : 1)
    queueJob(emulation, job.spec, { job, runAttempt })
  }
}

/** Ends every job of a run at once, also one whose runner does not answer. */
export function forceCancel(emulation: Emulation, jobs: readonly Job[]): void {
  const report = { conclusion: 'cancelled', outputs: {}, steps: [], note: 'the run was cancelled by force' } as const
  for (const job of jobs) completeJob(emulation, job, report)
}

export function shaOf(runId: number): string {
  return hashText(`commit of run ${runId}`, 40)
}

export function jobView(job: Job): object {
  const { number, runId, runAttempt, times, state, spec, report } = job
  const isOver = state === 'completed'
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    id: number,
    run_id: runId,
    run_attempt: runAttempt,
    head_sha: shaOf(runId),
    name: spec.name,
    status: isOver ? 'completed' : state === 'running' ? 'in_progress' : 'queued',
    conclusion: isOver ? (report?.conclusion ?? 'failure') : null,
    created_at: time(times.queuedAt),
    started_at: time(times.startedAt),
    completed_at: time(times.finishedAt),
    labels: spec.labels,
    // A job that no runner has started has none.
    runner_name: times.startedAt === undefined ? null : (job.runner?.name ?? null),
    steps: stepsOf(job),
  }
}

/** The step of a runner that died stays as it was: nobody reports its end. */
function stepsOf({ times, report, isLost, stepsStarted }: Job): readonly object[] {
  if (times.startedAt === undefined) return []
  const step = (name: string, index: number, conclusion: string | null) => ({
    name,
    number: index + 2,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
  })
  const setUp = { name: 'Set up job', number: 1, status: 'completed', conclusion: 'success' }
  const reported = report?.steps ?? []
  if (reported.length > 0) {
    return [setUp, ...reported.map(({ name, conclusion }, index) => step(name, index, conclusion))]
  }
  const names = stepsStarted.size > 0 ? [...stepsStarted.keys()] : ['Run the script']
  const last = report && !isLost && report.note !== 'the run was cancelled by force' ? report.conclusion : null
  return [setUp, ...names.map((name, index) => step(name, index, index === names.length - 1 ? last : 'success'))]
}
