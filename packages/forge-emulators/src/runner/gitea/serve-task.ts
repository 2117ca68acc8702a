// Serves one task: runs its job, and reports the log, the steps and the result to Gitea.
import path from 'node:path'
import { uuid } from '@dayfly/kit/ids'
import { textAt } from '@dayfly/kit/read-json'
import type { JobReport, RunnerJob } from '../../job.ts'
import { foldersOf, runnerContext } from '../environment.ts'
import type { JobHost } from '../job-state.ts'
import { createLog } from '../log.ts'
import { createMask, type Mask } from '../mask.ts'
import { runJob } from '../run-job.ts'
import type { RunnerHost } from '../session.ts'
import type { TaskRunnerCredential } from './credential.ts'
import { readTaskJob, type TaskJob } from './read-job.ts'
import type { Task } from './read-task.ts'
import { createReporter, type Delivery, type Reporter } from './reporter.ts'
import type { Rpc } from './rpc.ts'

export type TaskLink = { readonly credential: TaskRunnerCredential; readonly rpc: Rpc }

/** Never rejects: errors are in the log of the task. */
export async function serveTask(task: Task, link: TaskLink, host: RunnerHost): Promise<Delivery> {
  const { clock, random, stopper } = host
  const { credential, rpc } = link
  const read = readTaskJob(task)
  const event = textAt(task.context, 'event_name') ?? 'none'
  const reporter = createReporter(
    {
      id: task.id,
      stepCount: read.is === 'job' ? read.job.steps.length : 0,
      setUp: [`${credential.name} received task ${task.id}, which the event ${event} triggered`],
    },
    { clock, random, rpc, onOver: () => stopper.stop('lost') },
  )
  const mask = createMask()
  for (const secret of [credential.token, textAt(task.context, 'gitea_runtime_token') ?? '']) mask.add(secret)
  const report = await execute(read, { mask, reporter, link }, host)
  reporter.addLines([`Job ${endings[report.conclusion]}`])
  return await reporter.end(report)
}

const endings = { success: 'succeeded', failure: 'failed', cancelled: 'cancelled', skipped: 'skipped' }

type Parts = { readonly mask: Mask; readonly reporter: Reporter; readonly link: TaskLink }
type Ended = Pick<JobReport, 'conclusion' | 'outputs'>

async function execute(read: TaskJob, parts: Parts, host: RunnerHost): Promise<Ended> {
  if (read.is === 'refused') {
    parts.reporter.addLines(read.sentences.map((sentence) => `##[error]${sentence}`))
    return { conclusion: 'failure', outputs: {} }
  }
  if (!read.runs) return { conclusion: 'skipped', outputs: {} }
  return await run(read.job, parts, host)
}

async function run(job: RunnerJob, { mask, reporter, link }: Parts, host: RunnerHost): Promise<Ended> {
  const { clock, random, stopper, inherited } = host
  const log = createLog({
    clock,
    mask,
    // As in Gitea's own runner, the output of a job stays out of this program's own.
    print: () => undefined,
    send: reporter.addLines,
    behind: () => reporter.isBehind,
  })
  const folders = foldersOf(path.resolve(host.directory, '_work'), job)
  const jobHost: JobHost = {
    clock,
    random,
    log,
    mask,
    stopper,
    folders,
    inherited: { ...inherited, GITEA_ACTIONS: 'true' },
    runner: runnerContext(link.credential.name, folders),
    trackingId: `gitea_${uuid(random)}`,
    reportStep: (event) => {
      log.flush()
      reporter.addEvent(event)
    },
  }
  const report = await runJob(job, jobHost)
  log.flush()
  return report
}
