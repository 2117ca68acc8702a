// Takes one job from its message to its completion, and tells the forge what happens in between.
import path from 'node:path'
import type { Timer } from '../../lib/clock.ts'
import { uuid } from '../../lib/ids.ts'
import type { JobReport, RunnerJob } from '../job.ts'
import { foldersOf, runnerContext } from './environment.ts'
import type { JobHost } from './job-state.ts'
import { createLog } from './log.ts'
import { createMask } from './mask.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { readJob } from './read-job.ts'
import { runJob } from './run-job.ts'
import { type JobRequest, lifeLimits, type RunnerHost, type Session, stamp } from './session.ts'

/** How often the lease is renewed, and how long steps may go on after a cancellation (GitHub's own five minutes). */
const renewMs = 60_000
const cancelMs = 300_000

/** `skipped`: the job is gone or somebody else's, so go on listening. */
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
    host.print(`${stamp(host.clock)}: Skipping message: the job is gone.\n`)
    return 'skipped'
  }
  const outbox = createOutbox((url, body) => connection.call('POST', `${request.url}${url}`, { body }))
  const job = readJob(acquired.value)
  const report = job ? await execute(job, { request, session, outbox }, host) : unreadable
  await outbox.empty()
  await complete(report, request, session, host)
  return 'done'
}

const unreadable: JobReport = {
  conclusion: 'failure',
  outputs: {},
  steps: [],
  note: 'The job message cannot be read by this runner.',
}

type Line = { readonly request: JobRequest; readonly session: Session; readonly outbox: Outbox }

async function execute(job: RunnerJob, { request, session, outbox }: Line, host: RunnerHost): Promise<JobReport> {
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
    announce: (jobEvent) => {
      log.flush()
      outbox.post('steps', jobEvent)
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

/** Renews the lease and listens for a cancellation until released. */
function keepLease({ request, session }: Line, host: RunnerHost): () => void {
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
  const quiet = stopper.onStop(() => {
    force ??= clock.after(cancelMs, () => stopper.stop('lost'))
  })
  const listenBusy = async () => {
    const url = `message?sessionId=${sessionId}&status=Busy`
    while (!over.signal.aborted) {
      const options = { signal: over.signal, timeoutMs: lifeLimits.pollMs }
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
    quiet()
  }
}

/** The report must arrive: it is what frees the registration. A job that the forge has given up needs none. */
async function complete(report: JobReport, request: JobRequest, session: Session, host: RunnerHost): Promise<void> {
  for (const pauseMs of [0, 200, 1_000, 3_000, 5_000]) {
    await host.clock.sleep(pauseMs)
    const url = `${request.url}completejob`
    const reply = await session.connection.call('POST', url, { body: report, timeoutMs: 10_000 }).catch(() => undefined)
    if (reply && reply.status < 500) return
  }
}
