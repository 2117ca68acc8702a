// Runs one job, from its message to its completion, and reports its progress to the forge.
import path from 'node:path'
import type { Timer } from '@dayfly/kit/clock'
import { uuid } from '@dayfly/kit/ids'
import type { JobReport, RunnerJob } from '../job.ts'
import { foldersOf, runnerContext } from './environment.ts'
import type { JobHost } from './job-state.ts'
import { createLog } from './log.ts'
import { createMask } from './mask.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { readJob } from './read-job.ts'
import { deliver } from './retry.ts'
import { runJob } from './run-job.ts'
import { type JobRequest, type RunnerHost, type Session, stamp, waitLimits } from './session.ts'

/** The interval of lease renewals, and the time that steps get after a cancellation (five minutes, as on GitHub). */
const renewMs = 60_000
const cancelMs = 300_000

/** Returns `skipped` if the job is gone or another runner has it. The runner then listens again. */
export async function serveJob(request: JobRequest, session: Session, host: RunnerHost): Promise<'done' | 'skipped'> {
  const { connection, sessionId } = session
  if (request.acknowledge) {
    const body = { runnerRequestId: request.id }
    const reply = await connection.call('POST', `acknowledge?sessionId=${sessionId}`, { body }).catch(() => undefined)
    if (reply?.status === 404) return 'done'
  }
  const acquired = await connection
    .call('POST', `${request.url}acquirejob`, { body: { jobMessageId: request.id } })
    .catch(() => undefined)
  if (acquired?.status !== 200) {
    host.print(`${stamp(host.clock)}: Skipping message: the job is gone or another runner has it.\n`)
    return 'skipped'
  }
  const outbox = createOutbox((url, body) => connection.call('POST', `${request.url}${url}`, { body }))
  const job = readJob(acquired.value)
  const report = job ? await execute(job, { request, session, outbox }, host) : unreadable
  await outbox.empty()
  // The report frees the registration.
  const body = { body: report, timeoutMs: 10_000 }
  await deliver(() => connection.call('POST', `${request.url}completejob`, body), host)
  return 'done'
}

const unreadable: JobReport = {
  conclusion: 'failure',
  outputs: {},
  steps: [],
  note: 'The job message is not valid.',
}

type JobLink = { readonly request: JobRequest; readonly session: Session; readonly outbox: Outbox }

async function execute(job: RunnerJob, { request, session, outbox }: JobLink, host: RunnerHost): Promise<JobReport> {
  const { clock, random, stopper, inherited, print } = host
  const { credential } = session
  const mask = createMask()
  mask.add(credential.token)
  const send = (lines: readonly string[]) => outbox.post('logs', { lines })
  const log = createLog({ clock, mask, print, send, behind: () => outbox.waiting > 2 })
  const folders = foldersOf(path.resolve(host.directory, credential.workFolder), job)
  const runner = runnerContext(credential.name, folders)
  const jobHost: JobHost = {
    clock,
    random,
    log,
    mask,
    stopper,
    folders,
    inherited,
    runner,
    trackingId: `github_${uuid(random)}`,
    reportStep: (event) => {
      log.flush()
      outbox.post('steps', event)
    },
  }
  print(`${stamp(clock)}: Running job: ${job.name}\n`)
  const release = keepLease({ request, session, outbox }, host)
  const report = await runJob(job, jobHost)
  release()
  log.flush()
  print(`${stamp(clock)}: Job ${job.name} completed with result: ${resultWords[report.conclusion]}\n`)
  return report
}

const resultWords = { success: 'Succeeded', failure: 'Failed', cancelled: 'Canceled', skipped: 'Skipped' }

/** Renews the lease and listens for a cancellation. Returns a function that stops both. */
function keepLease({ request, session }: JobLink, host: RunnerHost): () => void {
  const { clock, stopper } = host
  const { connection, sessionId } = session
  const over = new AbortController()
  let renewal: Timer
  let force: Timer | undefined
  const renew = async () => {
    const reply = await connection
      .call('POST', `${request.url}renewjob`, { body: {}, signal: over.signal })
      .catch(() => undefined)
    if (over.signal.aborted) return
    if (reply?.status === 404) stopper.stop('lost')
    if (reply?.value['cancelled'] === true) stopper.stop('cancelled')
    renewal = clock.after(renewMs, () => void renew())
  }
  renewal = clock.after(renewMs, () => void renew())
  const unsubscribe = stopper.onStop(() => {
    force ??= clock.after(cancelMs, () => stopper.stop('lost'))
  })
  const listenBusy = async () => {
    const url = `message?sessionId=${sessionId}&status=Busy`
    while (!over.signal.aborted) {
      const options = { signal: over.signal, timeoutMs: waitLimits.pollMs }
      const reply = await connection.call('GET', url, options).catch(() => undefined)
      if (reply?.status === 404) return
      if (reply?.value['messageType'] === 'JobCancellation') stopper.stop('cancelled')
      if (!reply || reply.status >= 400) await clock.sleep(5_000, over.signal).catch(() => {})
    }
  }
  void listenBusy()
  return () => {
    over.abort()
    renewal.cancel()
    force?.cancel()
    unsubscribe()
  }
}
