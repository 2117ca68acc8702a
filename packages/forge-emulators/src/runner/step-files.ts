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

/** The maximum size of a file. GitHub allows 1 MiB for a job's outputs. */
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

function read(file: string | undefined): string {
  if (file === undefined) return ''
  const size = statSync(file, { throwIfNoEntry: false })
  if (!size?.isFile()) return ''
  if (size.size > bytesMax) throw new FileCommandError(`'${path.basename(file)}' is larger than ${bytesMax} bytes`)
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
}
