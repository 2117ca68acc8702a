// Runs a `run` step: writes its script to a file and starts its shell.
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { uuid } from '@dayfly/kit/ids'
import { evaluateText, type Scope } from '../expression.ts'
import type { RunnerStep } from '../job.ts'
import type { JobState } from './job-state.ts'
import { type Command, type GroupEnd, type GroupWatch, runGroup } from './process-group.ts'
import { findShell, shellArguments } from './shell.ts'

export type ScriptStep = Extract<RunnerStep, { readonly kind: 'run' }>

/** Runs the script. Throws an `ExpressionFailure` or a `ShellError` before it starts a process. */
export async function runScript(
  step: ScriptStep,
  state: JobState,
  due: {
    readonly scope: Scope
    readonly env: Readonly<Record<string, string>>
    readonly shown: Readonly<Record<string, string>>
  },
  watch: GroupWatch,
): Promise<GroupEnd> {
  const { folders, random, log } = state.host
  const { defaults } = state.job
  const script = evaluateText(step.run, due.scope)
  const shell = findShell(step.shell ?? defaults.shell, due.env['PATH'] ?? '')
  const folder = evaluateText(step.workingDirectory ?? defaults.workingDirectory ?? '', due.scope)
  const file = path.join(folders.temp, `${uuid(random)}${shell.extension}`)
  writeFileSync(file, shell.wrap(script))
  const shownCommand = `${shell.file} ${shell.options}`
  for (const line of header(script, shownCommand, due.shown)) log.write(line)
  const cwd = path.resolve(folders.workspace, folder)
  const command: Command = { file: shell.file, args: shellArguments(shell.options, file), cwd, env: due.env }
  try {
    return await runGroup(command, watch)
  } finally {
    rmSync(file, { force: true })
  }
}

function header(script: string, shell: string, env: Readonly<Record<string, string>>): readonly string[] {
  const lines = script.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n')
  const first = script.trimStart().split(/\r?\n/, 1)[0] ?? ''
  const variables = Object.entries(env).map(([name, value]) => `  ${name}: ${value.replaceAll('\n', '\n  ')}`)
  return [
    `##[group]Run ${first}`,
    ...lines,
    `shell: ${shell}`,
    ...(variables.length > 0 ? ['env:', ...variables.flatMap((line) => line.split('\n'))] : []),
    '##[endgroup]',
  ]
}
