// A real Gitea with an organization, whose repositories have one workflow each, and runners as processes.
import { expect } from 'vitest'
import { type Gitea, type GiteaJob, type Level, openGitea, type RegisteredRunner } from './open-gitea.ts'
import { openRunnerProcesses, type RunnerProcess } from './runner-processes.ts'

export interface Stage {
  readonly gitea: Gitea
  /** Creates a repository with a workflow. */
  open(workflow: string): Promise<Level>
  /** Starts the workflow, and resolves with its jobs when one of them waits for a runner. */
  dispatch(repository: Level, jobs: number, inputs?: Readonly<Record<string, string>>): Promise<readonly GiteaJob[]>
  /** Registers a runner, and starts its process. */
  launch(level: Level, ...labels: readonly string[]): Promise<RunnerProcess & RegisteredRunner>
  /** Starts a job with a script that prints `begun`, and resolves when it has. Before that, the answer with the task could be lost. */
  begin(script: string): Promise<{
    readonly repository: Level
    readonly runner: RunnerProcess & RegisteredRunner
    /** Resolves with the job as it is now. */
    job(): Promise<GiteaJob>
  }>
  isListed(level: Level, runner: number): Promise<boolean>
  close(): Promise<void>
}

const file = 'ci.yml'

export async function openStage(...settings: readonly string[]): Promise<Stage> {
  const gitea = await openGitea(...settings)
  const runners = await openRunnerProcesses(gitea.url)
  await gitea.createOrganization('acme')
  let count = 0
  const stage: Stage = {
    gitea,
    open: async (workflow) => {
      const repository = await gitea.createRepository('acme', `app-${++count}`)
      await gitea.commitWorkflow(repository, file, workflow)
      return repository
    },
    dispatch: async (repository, jobs, inputs) => {
      await gitea.dispatch(repository, file, inputs)
      return await gitea.until(repository, (listed) => {
        return listed.length === jobs && listed.some(({ status }) => status === 'queued')
      })
    },
    launch: async (level, ...labels) => {
      const runner = await gitea.register(level, `r-${++count}`, ...labels)
      return { ...runner, ...(await runners.start(runner, ...labels)) }
    },
    begin: async (script) => {
      const repository = await stage.open(workflowOf('long', `- run: ${script}`))
      const [queued] = await stage.dispatch(repository, 1)
      const runner = await stage.launch(repository, 'linux')
      const log = () => gitea.jobLog(repository, queued?.id ?? 0)
      await expect.poll(log, { timeout: 30_000 }).toMatch(/Z begun$/m)
      return { repository, runner, job: async () => jobNamed(await gitea.jobs(repository), 'long') }
    },
    isListed: async (level, runner) => {
      return (await gitea.admin.call('GET', `${level}/actions/runners/${runner}`)).status === 200
    },
    close: async () => {
      await runners.close()
      await gitea.close()
    },
  }
  return stage
}

/** Returns a workflow with one job for the label linux. */
export function workflowOf(job: string, ...steps: readonly string[]): string {
  const lines = steps.map((step) => `      ${step.replaceAll('\n', '\n      ')}\n`)
  return `on: workflow_dispatch\njobs:\n  ${job}:\n    runs-on: linux\n    steps:\n${lines.join('')}`
}

export function jobNamed(jobs: readonly GiteaJob[], name: string): GiteaJob {
  const found = jobs.find((each) => each.name === name)
  if (!found) throw new Error(`no job ${name}`)
  return found
}
