// Repositories as users change them: workflow files are committed, a repository is deleted with its runners and jobs.
import { workflowKind } from '../source/kind.ts'
import { checkSource } from '../source/source.ts'
import { parseWorkflowSource } from '../workflow/parse.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { type Emulation, reportJob } from './emulation.ts'
import { groupOf } from './job-index.ts'
import { allJobs, detachRepository } from './places.ts'
import { runWorkflow } from './run-workflow.ts'
import { deleteRunner } from './runners.ts'
import { forgetRun } from './runs.ts'
import type { Repository } from './state.ts'

/** Commits a workflow file. The push starts every workflow of the repository that has the event. Throws a `SourceError`. */
export async function commitWorkflow(
  emulation: Emulation,
  repository: Repository,
  name: string,
  text: string,
): Promise<void> {
  const workflow = await parseWorkflowSource(checkSource(name, Buffer.from(text), workflowKind))
  repository.workflows.set(name, workflow)
  startWorkflows(emulation, repository, 'push')
}

/** Starts the workflows of the repository that have the event. */
function startWorkflows(emulation: Emulation, repository: Repository, event: string): void {
  if (repository.isArchived || !repository.hasActions) return
  for (const workflow of repository.workflows.values()) {
    if (eventsOf(workflow).includes(event)) runWorkflow(emulation, workflow, repository, { event })
  }
}

/** Starts one workflow by hand. Returns false if it does not exist or has no such event. */
export function dispatchWorkflow(emulation: Emulation, repository: Repository, name: string): boolean {
  const workflow = repository.workflows.get(name)
  const event = 'workflow_dispatch'
  if (!workflow || !eventsOf(workflow).includes(event)) return false
  runWorkflow(emulation, workflow, repository, { event })
  return true
}

function eventsOf({ root }: Workflow): readonly string[] {
  const on = root['on']
  if (typeof on === 'string') return [on]
  return Array.isArray(on) ? on.map(String) : Object.keys(Object(on))
}

/** Deletes the repository, its jobs, its runners, and the ephemeral runners of higher levels that had a task in it. */
export function deleteRepository(emulation: Emulation, repository: Repository): void {
  const { state } = emulation
  const jobs = [...allJobs(repository)]
  for (const { tasks } of jobs) {
    for (const { runner } of tasks) if (runner.ephemeral) deleteRunner(emulation, runner)
  }
  for (const runner of [...repository.runners]) deleteRunner(emulation, runner)
  for (const job of jobs) {
    if (groupOf(job.status) === 'done') continue
    for (const task of job.tasks) {
      task.runner.running.delete(task)
      state.running.delete(task)
      emulation.deadlines.clear(`run:${task.id}`)
    }
    reportJob(emulation, 'finished', job)
  }
  for (const run of new Set(jobs.map((job) => job.run))) forgetRun(emulation, run)
  detachRepository(state, repository)
}
