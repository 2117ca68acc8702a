// Runs one job from its first step to its report.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { evaluateText } from '../expression.ts'
import type { JobReport, RunnerJob, StepReport } from '../job.ts'
import { githubOf } from './environment.ts'
import { type JobHost, type JobState, newJobState, scopeOf } from './job-state.ts'
import { endOrphans } from './orphans.ts'
import { millisecondsOf, runStep } from './run-step.ts'

/** The maximum number of characters of a job's outputs. GitHub's limit is 1 MiB, with overhead. */
const outputsMax = 512 * 1024

/** Runs the steps in order. Never rejects: errors are in the report. The host's stopper ends it early. */
export async function runJob(job: RunnerJob, host: JobHost): Promise<JobReport> {
  const steps: StepReport[] = []
  const note = (text: string) => {
    host.log.write(`##[error]${text}`)
    return text
  }
  for (const secret of secretsOf(job)) host.mask.add(secret)
  let state: JobState
  try {
    state = newJobState(prepareFolders(job, host), host)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { conclusion: 'failure', outputs: {}, steps, note: note(why) }
  }
  const markCancelled = () => {
    state.status = 'cancelled'
  }
  const unsubscribe = host.stopper.onStop(markCancelled)
  if (host.stopper.reason) markCancelled()
  const limit = host.clock.after(millisecondsOf(job.timeoutMinutes), () => host.stopper.stop('timeout'))
  for (const step of job.steps) steps.push(await runStep(step, state))
  limit.cancel()
  unsubscribe()
  for (const { pid, name } of endOrphans(host.trackingId, process.pid)) {
    host.log.write(`Terminate orphan process: pid (${pid}) (${name})`)
  }
  const timedOut = `The job running on runner ${host.runner['name']} has exceeded the maximum execution time of ${job.timeoutMinutes} minutes.`
  const why = host.stopper.reason === 'timeout' ? note(timedOut) : undefined
  return { ...outputsOf(state), steps, note: why }
}

/** Creates the folders of the job and the file for GITHUB_EVENT_PATH. */
function prepareFolders(job: RunnerJob, { folders }: JobHost): RunnerJob {
  const eventFile = path.join(folders.temp, '_github_workflow', 'event.json')
  for (const folder of [folders.workspace, folders.tools, path.dirname(eventFile)])
    mkdirSync(folder, { recursive: true })
  const github = githubOf(job)
  writeFileSync(eventFile, JSON.stringify(github['event'] ?? {}, undefined, 2))
  return { ...job, contexts: { ...job.contexts, github: { ...github, event_path: eventFile } } }
}

/** Returns the job's conclusion and its outputs. As on GitHub, an output that contains a secret is dropped. */
function outputsOf(state: JobState): Pick<JobReport, 'conclusion' | 'outputs'> {
  const { log, mask } = state.host
  const outputs: Record<string, string> = {}
  try {
    const scope = scopeOf(state, {})
    for (const [name, template] of Object.entries(state.job.outputs)) {
      const value = evaluateText(template, scope)
      if (mask.apply(value) === value) outputs[name] = value
      else log.write(`##[warning]Skip output '${name}' since it may contain secret.`)
    }
    if (JSON.stringify(outputs).length > outputsMax) throw new Error(`they are larger than ${outputsMax} characters`)
    return { conclusion: state.status, outputs }
  } catch (error) {
    log.write(`##[error]The job's outputs cannot be evaluated: ${error instanceof Error ? error.message : error}`)
    return { conclusion: state.status === 'success' ? 'failure' : state.status, outputs: {} }
  }
}

function secretsOf(job: RunnerJob): readonly string[] {
  const secrets = job.contexts['secrets']
  const values = typeof secrets === 'object' && secrets !== null ? Object.values(secrets) : []
  return [...values, githubOf(job)['token']].filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
}
