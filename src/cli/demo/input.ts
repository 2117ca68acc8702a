// Reads every workflow file before anything starts, so that bad input costs nothing but a sentence.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliFailure } from '../failure.ts'

/** The workflow files of a demo that was given none: the examples of this package. */
export function exampleFiles(): readonly string[] {
  const folder = join(packageFolder(), 'examples/workflows')
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  return names.sort().map((name) => join(folder, name))
}

/** The small runner's program, beside the bundle. */
export function runnerProgram(): string {
  return join(packageFolder(), 'dist/runner.js')
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
