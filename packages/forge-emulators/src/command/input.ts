// Reads every workflow file before the demo starts anything, so that bad input fails early.
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliFailure } from '@dayfly/command-line/failure'
import { type Checkout, findCheckout } from '../checkout.ts'
import { readPipeline } from '../pipelines/parse.ts'
import type { Pipeline } from '../pipelines/pipeline.ts'
import { SourceError, type SourceProblem } from '../source/problem.ts'
import type { StepSource } from '../step.ts'
import { readWorkflow } from '../workflow/parse.ts'
import type { Workflow } from '../workflow/workflow.ts'

/** A workflow to run, and the repository of its file. */
export type Input = { readonly workflow: Workflow; readonly checkout: Checkout | undefined }

/** A pipeline to run, and the commit of its file. */
export type PipelineInput = { readonly pipeline: Pipeline; readonly source: StepSource | undefined }

/** Reads workflow files. Throws one `CliFailure` with all errors of all files. @param searchPath the `PATH` to find git. */
export function readInput(files: readonly string[], searchPath: string): Promise<readonly Input[]> {
  return readEach(files, async (file) => ({
    workflow: await readWorkflow(file),
    checkout: await findCheckout(file, searchPath),
  }))
}

/** Reads one pipeline of each bitbucket-pipelines.yml. Throws like `readInput`. @param selector the pipeline; the default one if it is undefined. */
export function readPipelines(
  files: readonly string[],
  searchPath: string,
  selector?: string,
): Promise<readonly PipelineInput[]> {
  return readEach(files, async (file) => {
    const pipeline = await readPipeline(file, selector)
    const { root, sha, branch = 'main' } = (await findCheckout(file, searchPath)) ?? {}
    const source = root === undefined || sha === undefined ? undefined : { repository: root, commit: sha, branch }
    return { pipeline, source }
  })
}

async function readEach<Read>(
  files: readonly string[],
  read: (file: string) => Promise<Read>,
): Promise<readonly Read[]> {
  const problems: SourceProblem[] = []
  const inputs: Read[] = []
  for (const file of files) {
    try {
      inputs.push(await read(file))
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw asFailure(problems)
  return inputs
}

function asFailure(problems: readonly SourceProblem[]): CliFailure {
  const [first, ...others] = problems.map(({ code, file, line, column, sentence, next }) => ({
    code,
    sentence,
    next,
    at: `${file}:${line}:${column}`,
  }))
  return new CliFailure({ ...(first ?? { code: 'workflow-invalid', sentence: '', next: '' }), others })
}

/** Returns the example files that ship with the program, in one folder of `examples`. */
export function exampleFiles(of: 'workflows' | 'bitbucket'): readonly string[] {
  const folder = join(builtFolder(), 'examples', of)
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  return names.sort().map((name) => join(folder, name))
}

/** Returns the path of the small runner's program, next to the bundle. */
export function runnerProgram(): string {
  const program = join(builtFolder(), 'runner.js')
  if (existsSync(program)) return program
  const sentence = `The runner program ${program} does not exist.`
  throw new CliFailure({
    code: 'not-built',
    sentence,
    next: 'Run "npm run build", then run the command again.',
    exitCode: 1,
  })
}

/** Returns the folder of the bundle. If the sources run without a bundle, returns the one that the build made of them. */
function builtFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  return basename(here) === 'dist' ? here : join(here, '../../../dayfly/dist')
}
