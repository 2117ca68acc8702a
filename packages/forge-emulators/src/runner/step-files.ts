// Creates the files by which a step controls the runner, and reads them when the step has ended.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { uuid } from '@dayfly/kit/ids'
import { FileCommandError, parsePairs, parsePaths } from './file-commands.ts'
import type { JobState } from './job-state.ts'

export interface StepFiles {
  /** Members of the `github` context: `env`, `output`, `path`, `step_summary`, `state`. */
  readonly github: Readonly<Record<string, string>>
  /** Applies the files to the job and returns the step's outputs. Throws a `FileCommandError`. */
  take(): Readonly<Record<string, string>>
  remove(): void
}

/** The maximum size of a file. GitHub allows 1 MiB for a job's outputs, and for the summary of a step. */
const bytesMax = 1024 * 1024

const prefixes = {
  env: 'set_env_',
  output: 'set_output_',
  path: 'add_path_',
  step_summary: 'step_summary_',
  state: 'save_state_',
}

export function createStepFiles(state: JobState): StepFiles {
  const { folders, random } = state.host
  const folder = path.join(folders.temp, '_runner_file_commands')
  const suffix = uuid(random)
  mkdirSync(folder, { recursive: true })
  const named = Object.entries(prefixes).map(([name, prefix]) => [name, path.join(folder, prefix + suffix)] as const)
  for (const [, file] of named) writeFileSync(file, '')
  const github: Record<string, string> = Object.fromEntries(named)
  return {
    github,
    take: () => {
      for (const [name, value] of parsePairs(read(github['env']))) setEnvironment(state, name, value)
      for (const entry of parsePaths(read(github['path']))) {
        state.paths = [entry, ...state.paths.filter((known) => known !== entry)]
      }
      checkSummary(state, github['step_summary'])
      return Object.fromEntries(parsePairs(read(github['output'])))
    },
    remove: () => {
      for (const [, file] of named) rmSync(file, { force: true })
    },
  }
}

/** Sets a variable. As on GitHub, NODE_OPTIONS is refused. */
function setEnvironment(state: JobState, name: string, value: string): void {
  if (name.toUpperCase() === 'NODE_OPTIONS') {
    state.host.log.write(`##[error]Can't store ${name} output parameter using '$GITHUB_ENV' command.`)
    return
  }
  state.env[name] = value
}

/** As on GitHub, a summary that is too large is dropped with an error, and the step does not fail. */
function checkSummary({ host }: JobState, file: string | undefined): void {
  const size = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  if (size <= bytesMax) return
  host.log.write(
    `##[error]$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${kibibytes(bytesMax)}k, got ${kibibytes(size)}k. For more information see: https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#adding-a-markdown-summary`,
  )
}

function kibibytes(bytes: number): number {
  return Math.floor(bytes / 1024)
}

function read(file: string | undefined): string {
  if (file === undefined) return ''
  const size = statSync(file, { throwIfNoEntry: false })
  if (!size?.isFile()) return ''
  if (size.size > bytesMax) throw new FileCommandError(`'${path.basename(file)}' is larger than ${bytesMax} bytes`)
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
}
