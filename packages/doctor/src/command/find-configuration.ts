// Finds `.dayfly-doctor.yaml`: in the folder of a path, or the nearest folder above it, up to the root of the repository.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { nearest } from '@dayfly/kit/nearest'
import type { Configuration, ConfigurationProblem } from '../configuration/configuration.ts'
import { rulesByName } from '../configuration/select.ts'
import { doctorName } from '../doctor-name.ts'
import { reasonOf } from '../read/files/reason-of.ts'
import { catalogue } from '../rules/catalogue.ts'

export const configurationName = '.dayfly-doctor.yaml'

/** `file`: as shown to people. */
export type Found = { readonly configuration: Configuration; readonly folder: string; readonly file: string }

/** Returns undefined if no path has a configuration. Throws if two paths have different ones. */
export async function findConfiguration(paths: readonly string[], from: string): Promise<Found | undefined> {
  const starts = paths.filter((given) => given !== '-').map((given) => path.resolve(from, withoutGlob(given)))
  const files = new Set((starts.length > 0 ? starts : [from]).map(nearestFile))
  const [file, other] = [...files].map((found) => found && shown(found, from))
  if (files.size > 1) {
    throw new CliFailure({
      code: 'two-configurations',
      sentence: `The paths have different configurations: ${file ?? 'none'} and ${other ?? 'none'}.`,
      next: 'Run the doctor once for the paths of each.',
    })
  }
  const [found] = files
  return found === undefined ? undefined : { ...(await load(found, from)), folder: path.dirname(found) }
}

function nearestFile(start: string): string | undefined {
  let folder = isFolder(start) ? start : path.dirname(start)
  while (true) {
    const file = path.join(folder, configurationName)
    if (existsSync(file)) return file
    if (existsSync(path.join(folder, '.git')) || folder === path.dirname(folder)) return undefined
    folder = path.dirname(folder)
  }
}

function isFolder(given: string): boolean {
  return statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Returns the folder before the first part of a glob, and any other path unchanged. */
function withoutGlob(given: string): string {
  if (existsSync(given)) return given
  const at = given.search(/[*?[{]/)
  return at < 0 ? given : `${given.slice(0, given.lastIndexOf('/', at) + 1)}.`
}

async function load(file: string, from: string): Promise<Pick<Found, 'configuration' | 'file'>> {
  const name = shown(file, from)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CliFailure({
      code: 'configuration-unreadable',
      sentence: `The configuration cannot be read: ${reasonOf(cause)}.`,
      next: 'Make the file readable, or remove it.',
      at: name,
      cause,
    })
  }
  // Most folders have no configuration. The library that checks its shape would be half of what a run loads.
  const { readConfiguration } = await import('../configuration/configuration.ts')
  const read = readConfiguration(text, rulesByName(catalogue))
  if ('configuration' in read) return { configuration: read.configuration, file: name }
  const [first, ...others] = read.problems.map((problem) => describeProblem(problem, name))
  throw new CliFailure({ ...(first ?? { code: 'configuration', sentence: '', next: '' }), others })
}

function describeProblem({ line, column, sentence, unknown }: ConfigurationProblem, file: string) {
  return {
    code: 'configuration',
    sentence: `In the configuration, ${sentence}.`,
    next: unknown ? suggestion(unknown) : 'docs/doctor.md, "Configure it", shows every key.',
    at: `${file}:${line}:${column}`,
  }
}

/** Names the nearest known word, or all of them if they are few. */
export function suggestion({
  typed,
  choices,
}: {
  readonly typed: string
  readonly choices: readonly string[]
}): string {
  const lower = new Map(choices.map((choice) => [choice.toLowerCase(), choice]))
  const word = typed.toLowerCase()
  const begun = typed.length > 2 ? [...lower.keys()].find((choice) => choice.startsWith(word)) : undefined
  const guess = lower.get(begun ?? nearest(word, [...lower.keys()]) ?? '')
  if (guess !== undefined) return `Did you mean "${guess}"?`
  return choices.length <= 12 ? `Use one of: ${choices.join(', ')}.` : `"${doctorName} explain" lists all rules.`
}

function shown(file: string, from: string): string {
  return path.relative(from, file).split(path.sep).join('/')
}
