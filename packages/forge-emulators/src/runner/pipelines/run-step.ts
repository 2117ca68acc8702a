// Runs one step: the clone of its commit, its script, and always its after-script.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { RunnerResult, StepMessage } from '../../step.ts'
import { cloneCommit } from '../clone.ts'
import type { Log } from '../log.ts'
import { type GroupEnd, type GroupWatch, runGroup } from '../process-group.ts'
import { millisecondsOf, stopDelays } from '../run-step.ts'
import { findShell, shellArguments } from '../shell.ts'
import type { Stopper } from '../stopper.ts'
import { scriptOf } from './script.ts'

export type StepHost = {
  readonly clock: Clock
  readonly log: Log
  /** `timeout` and `cancelled` end the script. `shutdown` ends the after-script, too. */
  readonly stopper: Stopper
  /** An own folder of the step. It need not exist. */
  readonly folder: string
  /** This program's variables, without its own. */
  readonly inherited: Readonly<Record<string, string>>
  readonly trackingId: string
}

/** The most time of an after-script, which begins when the time of the step may be over. */
const afterScriptMs = 300_000

/** Runs the step. Never rejects. As on Bitbucket, the after-script does not change the result. */
export async function runStep(step: StepMessage, host: StepHost): Promise<RunnerResult> {
  const { clock, log, stopper } = host
  const limit = clock.after(millisecondsOf(step.maxTimeMinutes), () => stopper.stop('timeout'))
  const stop = new AbortController()
  const unsubscribe = stopper.onStop(() => stop.abort())
  if (stopper.reason) stop.abort()
  const result = await attempt(() => runScript(step, stop.signal, host), step, host)
  limit.cancel()
  unsubscribe()
  if (result.error !== undefined) log.write(result.error)
  if (step.afterScript.length > 0 && !stopper.final) {
    const { error } = await attempt(() => runAfterScript(step, result, host), step, host)
    if (error !== undefined) log.write(`After-script: ${error}`)
  }
  return { status: result.status, error: result.error }
}

/** `exitCode` is that of the script; 1 if it has none. */
type Ended = RunnerResult & { readonly exitCode: number }

async function runScript(step: StepMessage, stop: AbortSignal, host: StepHost): Promise<GroupEnd> {
  const { folder, log } = host
  const clone = cloneFolder(host)
  mkdirSync(clone, { recursive: true })
  const env = environment(step, host, {})
  if (step.source) {
    const { repository, commit, branch } = step.source
    log.write(`Cloning the commit ${commit} of ${repository}`)
    const origin = { kind: 'folder', path: repository } as const
    const target = { origin, source: commit, folder: clone, branch, detached: false, depth: 50 }
    const end = await cloneCommit(target, env, watch(stop, host))
    if (end.kind !== 'exited' || end.code !== 0) return end
  }
  return runCommands(step.script, { file: path.join(folder, 'script.sh'), cwd: clone, env }, watch(stop, host))
}

/** Runs the after-script in a new shell. It knows only the exit code of the script. */
async function runAfterScript(step: StepMessage, { exitCode }: Ended, host: StepHost): Promise<GroupEnd> {
  const { clock, stopper, folder } = host
  const env = environment(step, host, { BITBUCKET_EXIT_CODE: String(exitCode) })
  const stop = new AbortController()
  const unsubscribe = stopper.onStop(() => stopper.final && stop.abort())
  const limit = clock.after(afterScriptMs, () => stop.abort())
  try {
    const command = { file: path.join(folder, 'after-script.sh'), cwd: cloneFolder(host), env }
    return await runCommands(step.afterScript, command, watch(stop.signal, host))
  } finally {
    limit.cancel()
    unsubscribe()
  }
}

function runCommands(
  commands: readonly string[],
  { file, cwd, env }: { readonly file: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  group: GroupWatch,
): Promise<GroupEnd> {
  const shell = findShell(undefined, env['PATH'] ?? '')
  writeFileSync(file, scriptOf(commands))
  return runGroup({ file: shell.file, args: shellArguments(shell.options, file), cwd, env }, group)
}

function watch(stop: AbortSignal, { clock, log, stopper }: StepHost): GroupWatch {
  const onLine = (line: string) => log.write(line)
  return { clock, onLine, stop, stopDelays: () => (stopper.final ? stopDelays.shutdown : stopDelays.step) }
}

async function attempt(run: () => Promise<GroupEnd>, step: StepMessage, host: StepHost): Promise<Ended> {
  try {
    return judge(await run(), step, host)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { status: 'FAILED', error: `The runner could not run this step: ${why}`, exitCode: 1 }
  }
}

function judge(end: GroupEnd, { maxTimeMinutes }: StepMessage, { stopper }: StepHost): Ended {
  if (end.kind === 'exited' && end.code === 0) return { status: 'PASSED', error: undefined, exitCode: 0 }
  if (end.kind === 'exited') {
    return { status: 'FAILED', error: `The script ended with exit code ${end.code}.`, exitCode: end.code }
  }
  if (end.kind === 'refused') return { status: 'FAILED', error: end.why, exitCode: 1 }
  const error =
    stopper.reason === 'timeout'
      ? `The step exceeded its maximum time of ${maxTimeMinutes} minutes.`
      : 'The step was stopped.'
  return { status: 'FAILED', error, exitCode: 1 }
}

function cloneFolder({ folder }: StepHost): string {
  return path.join(folder, 'build')
}

/** As in the small runner's jobs, variables with the prefix `DAYFLY_` always keep their inherited value. */
function environment(
  { variables }: StepMessage,
  host: StepHost,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const { inherited, trackingId } = host
  const kept = Object.entries(inherited).filter(([name]) => name.startsWith('DAYFLY_'))
  return {
    ...inherited,
    ...variables,
    ...more,
    BITBUCKET_CLONE_DIR: cloneFolder(host),
    ...Object.fromEntries(kept),
    RUNNER_TRACKING_ID: trackingId,
    PATH: inherited['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  }
}
