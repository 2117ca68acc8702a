// Creates a job from shell commands, without a workflow file.
import type { RunnerJob } from '../job.ts'

export type ScriptStep = { readonly run: string; readonly name?: string | undefined }

export function scriptJob(name: string, steps: readonly ScriptStep[]): Omit<RunnerJob, 'jobId' | 'runId'> {
  return {
    key: 'script',
    name,
    contexts: { github: {}, needs: {}, matrix: {}, strategy: {}, vars: {}, inputs: {} },
    env: [],
    defaults: { shell: undefined, workingDirectory: undefined },
    timeoutMinutes: 360,
    outputs: {},
    steps: steps.map((step, index) => ({
      kind: 'run',
      id: `step-${index + 1}`,
      name: step.name ?? `Run ${step.run.split('\n', 1)[0]}`,
      if: 'success()',
      env: {},
      continueOnError: false,
      timeoutMinutes: undefined,
      run: step.run,
      shell: undefined,
      workingDirectory: undefined,
    })),
    repository: undefined,
  }
}
