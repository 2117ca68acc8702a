// Reads a step's output line by line. It executes workflow commands and writes all other lines to the log.
import { parseCommand, type WorkflowCommand } from './commands.ts'
import type { JobState } from './job-state.ts'

export interface StepOutput {
  /** Takes one line. If it returns a promise, the log is congested: wait before the next line. */
  onLine(line: string): Promise<void> | undefined
  /** The outputs that the step set with `set-output`. */
  readonly outputs: Readonly<Record<string, string>>
  /** Whether a workflow command has failed, which fails the step. */
  readonly failed: boolean
}

export function createStepOutput(state: JobState, env: Readonly<Record<string, string>>): StepOutput {
  const { log } = state.host
  const debug = isTrue(env['ACTIONS_STEP_DEBUG'])
  const output: OutputState = {
    state,
    outputs: {},
    unsecure: isTrue(env['ACTIONS_ALLOW_UNSECURE_COMMANDS']),
    failed: false,
  }
  let resume: string | undefined
  let echo = debug
  const onLine = (line: string) => {
    const command = parseCommand(line, resume)
    if (!command) return log.write(line)
    if (resume !== undefined) {
      resume = undefined
      return log.write(line)
    }
    if (echo && command.name !== 'add-mask') log.write(line)
    switch (command.name) {
      case 'stop-commands':
        resume = command.data === '' ? undefined : command.data
        return log.write(line)
      case 'echo':
        echo = isTrue(command.data) || command.data.trim().toLowerCase() === 'on'
        return undefined
      case 'error':
      case 'warning':
      case 'notice':
      case 'group':
      case 'endgroup':
        return log.write(`##[${command.name}]${oneLine(command.data)}`)
      case 'debug':
        return debug ? log.write(`##[debug]${oneLine(command.data)}`) : undefined
      case 'add-matcher':
      case 'remove-matcher':
        return undefined
      default:
        return change(output, command)
    }
  }
  return {
    onLine,
    outputs: output.outputs,
    get failed() {
      return output.failed
    },
  }
}

type OutputState = {
  readonly state: JobState
  readonly outputs: Record<string, string>
  /** Whether `set-env` and `add-path` are allowed. */
  readonly unsecure: boolean
  failed: boolean
}

/** Executes a command that changes the job's or the step's state. */
function change(output: OutputState, command: WorkflowCommand): Promise<void> | undefined {
  const { state, outputs, unsecure } = output
  const { log, mask } = state.host
  const { name, properties, data } = command
  if (name === 'add-mask') {
    mask.add(data)
    return data.trim() === '' ? log.write("##[warning]Can't add secret mask for empty string.") : undefined
  }
  const deprecated = name === 'set-output' || name === 'save-state'
  if (!deprecated && !unsecure) {
    return fail(output, name, `The \`${name}\` command is disabled. Please upgrade to using Environment Files.`)
  }
  if (name === 'add-path') {
    state.paths = [data, ...state.paths.filter((path) => path !== data)]
    return undefined
  }
  const target = properties['name']
  if (!target) return fail(output, name, `Required field 'name' is missing in ##[${name}] command.`)
  if (name === 'set-env') state.env[target] = data
  if (name === 'set-output') outputs[target] = data
  if (!deprecated) return undefined
  return log.write(
    `##[warning]The \`${name}\` command is deprecated and will be disabled soon. Please upgrade to using Environment Files.`,
  )
}

function fail(output: OutputState, name: string, why: string): Promise<void> | undefined {
  output.failed = true
  output.state.host.log.write(`##[error]Unable to process command '${name}' successfully.`)
  return output.state.host.log.write(`##[error]${why}`)
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true'
}

function oneLine(text: string): string {
  return text.replaceAll(/\r?\n/g, ' ')
}
