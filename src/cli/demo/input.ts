// Reads every workflow file before anything starts, so that bad input costs nothing but a sentence.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Checkout, findCheckout } from '../../emulator/workflow/facts.ts'
import { readWorkflow } from '../../emulator/workflow/parse.ts'
import { WorkflowError, type WorkflowProblem } from '../../emulator/workflow/problem.ts'
import type { Workflow } from '../../emulator/workflow/workflow.ts'
import { CliFailure } from '../failure.ts'

/** A workflow as it will be run, with the repository that holds its file. */
export type Input = { readonly workflow: Workflow; readonly checkout: Checkout | undefined }

/** Throws one `CliFailure` that names everything that is wrong with any of the files. @param searchPath the `PATH` on which git is found. */
export async function readInput(files: readonly string[], searchPath: string): Promise<readonly Input[]> {
  const problems: WorkflowProblem[] = []
  const inputs: Input[] = []
  for (const file of files) {
    try {
      const workflow = await readWorkflow(file)
      inputs.push({ workflow, checkout: await findCheckout(file, searchPath) })
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw asFailure(problems)
  return inputs
}

function asFailure(problems: readonly WorkflowProblem[]): CliFailure {
  const [first, ...others] = problems.map(({ code, file, line, column, sentence, next }) => ({
    code,
    sentence,
    next,
    at: `${file}:${line}:${column}`,
  }))
  return new CliFailure({ ...(first ?? { code: 'workflow-invalid', sentence: '', next: '' }), others })
}

/** The workflow files of a demo that was given none: the examples of this package. */
export function exampleFiles(): readonly string[] {
  const folder = join(packageFolder(), 'examples/workflows')
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  return names.sort().map((name) => join(folder, name))
}

/** The small runner's program, beside the bundle. */
export function runnerProgram(): string {
  const program = join(packageFolder(), 'dist/runner.js')
  if (existsSync(program)) return program
  const sentence = `The runner's program ${program} is missing.`
  throw new CliFailure({ code: 'not-built', sentence, next: 'Run npm run build.', exitCode: 1 })
}

/** The folder with package.json: above dist/ in the bundle, above src/ in the sources. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

/** An option that has to be a whole number from `least` on. */
export function wholeNumber(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new CliFailure({
      code: 'usage',
      sentence: `${name} must be a whole number from ${least} to ${most}, not "${text.slice(0, 40)}".`,
      next: 'Run it with --help to see what it takes.',
    })
  }
}
